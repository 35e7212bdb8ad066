package duplicate_test

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/google/uuid"

	"onlyonce/internal/assert"
	"onlyonce/internal/customer"
	"onlyonce/internal/customer/duplicate"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/must"
	"onlyonce/internal/record"
)

// TestMergedCustomer checks that a merged customer is not listed or found and can't be changed, and that its email leads to the winner.
func TestMergedCustomer(t *testing.T) {
	b := setup(t)
	winner, loser := b.customer("ada@example.com", "Ada Lovelace", ""), b.customer("king@example.com", "Ada King", "")
	before := b.now(loser)
	merged := b.mustMerge(winner, loser)
	assert.Thatf(t, merged.Winner.ID == winner.ID && len(merged.Losers) == 1 && merged.Losers[0].ID == loser.ID && merged.Moved == 0,
		"%+v", merged)
	for _, filter := range []customer.Filter{{}, {Archived: true}, {Search: "king"}, {Search: "king", Archived: true}} {
		list, err := customer.List(t.Context(), b.Store.Pool, b.Tenant, filter, record.Page{Limit: 10})
		for _, c := range list.Rows {
			assert.Thatf(t, c.ID != loser.ID, "%+v lists it", filter)
		}
		assert.Thatf(t, err == nil, "%v", err)
	}
	offered, err := customer.Names.Offer(t.Context(), b.Store.Pool, b.Tenant, "", 10)
	assert.Thatf(t, err == nil && len(offered.Rows) == 1, "offered are %v, %v", offered, err)
	_, err = customer.Upsert.Do(t.Context(), b.Store, b.intent(uuid.Nil, 0), customer.Draft{Email: "king@example.com", Name: "Byron"})
	b.wantConflict(err, &customer.Differs)
	if again := b.customer("KING@example.com", "ADA King", ""); again.ID != winner.ID || again.Name != "Ada Lovelace" ||
		len(again.MergedFrom) != 1 || again.MergedFrom[0].Name != "Ada King" || again.Version != winner.Version+1 {
		t.Errorf("its email leads to %+v", again)
	}

	edited := customer.Draft{Email: "new@example.com", Name: "New"}
	_, err = customer.Edit.Do(t.Context(), b.Store, b.intent(loser.ID, b.now(loser).Version), edited)
	b.wantConflict(err, &customer.Merged)
	_, err = customer.Restore.Do(t.Context(), b.Store, b.intent(loser.ID, 0), struct{}{})
	b.wantConflict(err, &customer.Merged)
	third := b.customer("third@example.com", "Third", "")
	_, err = b.merge(third, loser)
	b.wantConflict(err, &customer.Merged)
	_, err = b.merge(loser, third)
	b.wantConflict(err, &customer.Merged)

	must.OK(t, b.undo(merged))
	after := b.now(loser)
	after.Version = before.Version
	assert.Thatf(t, reflect.DeepEqual(before, after), "was %+v\nis  %+v", before, after)
	for id, want := range map[uuid.UUID]string{
		loser.ID: "separated from another customer", winner.ID: "customers separated from this one",
	} {
		history, err := idempotency.History(t.Context(), b.Store.Pool, b.Tenant, id, record.Page{Limit: 1}, "")
		assert.Thatf(t, err == nil && history.Rows[0].What == want, "%+v, %v", history.Rows, err)
	}
	b.mustMerge(winner, loser) // again
}

// TestEmailOfAMergedCustomer checks that the winner can get the email and name of the loser, which then stays merged. For another
// customer that is a question, because the email leads to the winner.
func TestEmailOfAMergedCustomer(t *testing.T) {
	b := setup(t)
	winner, loser := b.customer("ada@example.com", "Ada", ""), b.customer("king@example.com", "Ada", "")
	other := b.customer("third@example.com", "Third", "")
	merged := b.mustMerge(winner, loser)
	edit := func(c customer.Customer, d customer.Draft) error {
		_, err := customer.Edit.Do(t.Context(), b.Store, b.intent(c.ID, b.now(c).Version), d)
		return err
	}
	b.wantConflict(edit(other, customer.Draft{Email: "king@example.com", Name: "Ada"}), &customer.Differs)
	must.OK(t, edit(winner, customer.Draft{Email: "king@example.com", Name: "Ada"}))
	b.wantConflict(b.undo(merged), &customer.EmailTaken)
	for _, address := range []string{"king@example.com", "KING@example.com"} {
		again := b.customer(address, "Ada", "")
		assert.Thatf(t, again.ID == winner.ID, "%s leads to %+v", address, again)
	}
	must.OK(t, edit(winner, customer.Draft{Email: "ada@example.com", Name: "Ada"}))
	must.OK(t, b.undo(merged))
	if again := b.customer("king@example.com", "Ada", ""); again.ID != loser.ID {
		t.Errorf("the email leads to %+v", again)
	}

	merged = b.mustMerge(winner, loser)
	_, err := customer.Archive.Do(t.Context(), b.Store, b.intent(winner.ID, 0), struct{}{})
	must.OK(t, err)
	_, err = customer.Upsert.Do(t.Context(), b.Store, b.intent(uuid.Nil, 0), customer.Draft{Email: "king@example.com", Name: "Ada"})
	b.wantConflict(err, &customer.Differs)
	must.OK(t, b.undo(merged))
}

// TestSyncOfAMergedCustomer checks that any content that a source sends for a merged customer returns the unchanged winner, and after the
// merge was undone, the customer itself.
func TestSyncOfAMergedCustomer(t *testing.T) {
	b := setup(t)
	send := func(name string) (idempotency.Done[customer.Customer], error) {
		return customer.Upsert.Do(t.Context(), b.Store, b.intent(uuid.Nil, 0),
			customer.Draft{Email: "king@example.com", Name: name, External: idempotency.External{Source: "shop", ExternalID: "17"}})
	}
	winner := b.customer("ada@example.com", "Ada Lovelace", "")
	made, err := send("Ada King")
	must.OK(t, err)
	wants := func(name string, want uuid.UUID) {
		b.Helper()
		done, err := send(name)
		assert.Thatf(b, err == nil && done.Value.ID == want && done.Outcome == idempotency.Reused, "%s: %+v, %v", name, done, err)
	}
	wants("Ada King", made.Value.ID)
	merged := b.mustMerge(winner, made.Value)
	wants("Ada King", winner.ID)
	wants("Ada Byron", winner.ID)
	where, args := idempotency.FindExternal(customer.Table, idempotency.External{Source: "SHOP", ExternalID: "17"})
	if found, err := record.FindBy(t.Context(), b.Store.Pool, customer.Table, b.Tenant, where, args); err != nil || found.ID != winner.ID {
		t.Errorf("found %+v, %v", found, err)
	}
	third := b.customer("third@example.com", "Third", "")
	further := b.mustMerge(third, winner)
	wants("Ada King", third.ID)
	for _, m := range []duplicate.Merge{further, merged} {
		must.OK(t, b.undo(m))
	}
	wants("Ada King", made.Value.ID)
	_, err = send("Ada Byron")
	b.wantConflict(err, &idempotency.ExternalTaken)
	assert.Equal(t, storetest.Value[int](b, `SELECT count(*) FROM customers`), 3, "customers")
}

// TestSyncWhileItIsMerged runs a sync on two stores, concurrently with the merge and with its undoing. It must return either customer,
// and afterwards the right one.
func TestSyncWhileItIsMerged(t *testing.T) {
	b := setup(t)
	winner := b.customer("ada@example.com", "Ada Lovelace", "")
	d := customer.Draft{Email: "king@example.com", Name: "Ada King", External: idempotency.External{Source: "shop", ExternalID: "17"}}
	send := func(intent idempotency.Intent) uuid.UUID {
		done, err := customer.Upsert.Do(context.Background(), b.Store, intent, d)
		assert.Thatf(b, err == nil, "%v", err)
		return done.Value.ID
	}
	loser := b.now(customer.Customer{Header: record.Header{ID: send(b.intent(uuid.Nil, 0))}})
	for range 10 {
		var merged duplicate.Merge
		for _, step := range []struct {
			do   func() error
			then uuid.UUID
		}{
			{func() (err error) { merged, err = b.merge(winner, loser); return err }, winner.ID},
			{func() error { return b.undo(merged) }, loser.ID},
		} {
			var intents []idempotency.Intent
			for range 8 {
				intents = append(intents, b.intent(uuid.Nil, 0))
			}
			var all sync.WaitGroup
			for _, intent := range intents {
				all.Go(func() {
					got := send(intent)
					assert.Thatf(b, got == winner.ID || got == loser.ID, "got %s", got)
				})
			}
			must.OK(t, step.do())
			all.Wait()
			assert.Equal(t, send(b.intent(uuid.Nil, 0)), step.then)
		}
	}
}

// TestArchivedStaysArchived checks that undoing a merge restores the loser's earlier archived_at.
func TestArchivedStaysArchived(t *testing.T) {
	b := setup(t)
	winner, loser := b.customer("ada@example.com", "Ada", ""), b.customer("king@example.com", "Ada", "")
	done, err := customer.Archive.Do(t.Context(), b.Store, b.intent(loser.ID, 0), struct{}{})
	must.OK(t, err)
	must.OK(t, b.undo(b.mustMerge(winner, loser)))
	at := b.now(loser).ArchivedAt
	assert.Thatf(t, at.Equal(done.Value.ArchivedAt), "archived at %v, and it was %v", at, done.Value.ArchivedAt)
}

// TestMergesInAChain checks that customers merged into a loser follow it, and that merges are undone in reverse order.
func TestMergesInAChain(t *testing.T) {
	b := setup(t)
	var c []customer.Customer
	for i := range 4 {
		c = append(c, b.customer(fmt.Sprintf("c%d@example.com", i), "Ada", ""))
	}
	first := b.mustMerge(c[1], c[2], c[3])
	second := b.mustMerge(c[0], c[1])
	for _, loser := range c[1:] {
		assert.Equal(t, b.mergedInto(loser), c[0].ID, "leads elsewhere")
	}
	assert.Thatf(t, second.Moved == 2, "%d moved", second.Moved)
	b.wantConflict(b.undo(first), &duplicate.MergedFurther)
	must.OK(t, b.undo(second))
	assert.Thatf(t, b.mergedInto(c[1]) == uuid.Nil && b.mergedInto(c[2]) == c[1].ID && b.mergedInto(c[3]) == c[1].ID,
		"not as it was after the first merge")
	must.OK(t, b.undo(first))
	assert.Equal(t, storetest.Value[int](b, `SELECT count(*) FROM customers WHERE merged_into IS NULL AND archived_at IS NULL`),
		4, "unchanged customers")
}

// TestMergesThatAreRefused checks that refused merges leave the key free and change nothing.
func TestMergesThatAreRefused(t *testing.T) {
	b := setup(t)
	winner, loser := b.customer("ada@example.com", "Ada", ""), b.customer("king@example.com", "Ada", "")
	seen := []duplicate.SeenInput{{winner.ID.String(), 1}, {loser.ID.String(), 1}}
	draft := func(change func(*duplicate.MergeInput)) (duplicate.MergeDraft, error) {
		in := duplicate.MergeInput{Customers: append([]duplicate.SeenInput{}, seen...), WinnerID: winner.ID.String()}
		change(&in)
		return in.Draft()
	}
	for what, change := range map[string]func(*duplicate.MergeInput){
		"one":          func(in *duplicate.MergeInput) { in.Customers = in.Customers[:1] },
		"twice":        func(in *duplicate.MergeInput) { in.Customers[1] = in.Customers[0] },
		"no id":        func(in *duplicate.MergeInput) { in.Customers[1].ID = "ada" },
		"no winner":    func(in *duplicate.MergeInput) { in.WinnerID = "" },
		"other winner": func(in *duplicate.MergeInput) { in.WinnerID = uuid.NewString() },
		"too many": func(in *duplicate.MergeInput) {
			for range duplicate.MaxCustomers {
				in.Customers = append(in.Customers, duplicate.SeenInput{uuid.NewString(), 1})
			}
		},
	} {
		d, err := draft(change)
		assert.Thatf(t, err != nil, "%s: %+v", what, d)
	}
	intent := b.intent(uuid.Nil, 0)
	stale, err := draft(func(in *duplicate.MergeInput) { in.Customers[1].Version = 2 })
	must.OK(t, err)
	_, err = duplicate.MergeCustomers.Do(t.Context(), b.Store, intent, stale)
	b.wantConflict(err, &duplicate.ChangedMeanwhile)
	unknown, err := draft(func(in *duplicate.MergeInput) { in.Customers[1].ID = uuid.NewString() })
	must.OK(t, err)
	if _, err = duplicate.MergeCustomers.Do(t.Context(), b.Store, intent, unknown); err == nil {
		t.Error("merged nobody")
	}
	assert.Equal(t, storetest.Value[int](b, `SELECT count(*) FROM customer_merges`), 0, "merges")
	right, err := draft(func(*duplicate.MergeInput) {})
	must.OK(t, err)
	if _, err := duplicate.MergeCustomers.Do(t.Context(), b.Store, intent, right); err != nil {
		t.Error(err)
	}
}

func TestUndoWithin30Days(t *testing.T) {
	b := setup(t)
	winner, loser := b.customer("ada@example.com", "Ada", ""), b.customer("king@example.com", "Ada", "")
	merged := b.mustMerge(winner, loser)
	b.Exec(`UPDATE customer_merges SET created_at = now() - interval '30 days 1 second'`)
	b.wantConflict(b.undo(merged), &duplicate.TooLate)
	b.Exec(`UPDATE customer_merges SET created_at = now() - interval '29 days 23 hours'`)
	err := b.undo(merged)
	assert.Thatf(t, err == nil && b.mergedInto(loser) == uuid.Nil, "%v", err)
}

// TestTheDatabaseKeepsMerges checks that the database refuses chains and cycles of merges and changes of a merged customer in any
// statement.
func TestTheDatabaseKeepsMerges(t *testing.T) {
	b := setup(t)
	winner, loser := b.customer("ada@example.com", "Ada", ""), b.customer("king@example.com", "Ada", "")
	third := b.customer("third@example.com", "Third", "")
	b.mustMerge(winner, loser)
	into := func(of, winner customer.Customer) string {
		return fmt.Sprintf(`UPDATE customers SET merged_into = '%s', archived_at = now() WHERE id = '%s'`, winner.ID, of.ID)
	}
	b.Refuses(map[string][]string{
		// In the last one, the loser would refer to a merged customer.
		"customers_merged_into":         {into(third, third), into(third, loser), into(winner, third)},
		"customers_merged_are_archived": {`UPDATE customers SET archived_at = NULL WHERE id = '` + loser.ID.String() + `'`},
		"customers_merged":              {`UPDATE customers SET name = 'Other' WHERE id = '` + loser.ID.String() + `'`},
	})
}

// TestWhateverRefersToCustomersIsMoved checks that a merge moves the rows of a table added later, if its foreign key refers to live_id,
// and that undoing the merge moves them back.
func TestWhateverRefersToCustomersIsMoved(t *testing.T) {
	b := setup(t)
	b.DB.Spoil(t)
	b.Exec(`
		CREATE TABLE "Odd things" (
			tenant_id uuid, id uuid, "its customer" uuid, PRIMARY KEY (tenant_id, id),
			FOREIGN KEY (tenant_id, "its customer") REFERENCES customers (tenant_id, live_id));
		ALTER TABLE "Odd things" OWNER TO onlyonce`)
	winner, loser := b.customer("ada@example.com", "Ada", ""), b.customer("king@example.com", "Ada", "")
	b.Exec(`INSERT INTO "Odd things" SELECT $1, gen_random_uuid(), $2 FROM generate_series(1, 3)`, b.Tenant, loser.ID)
	merged := b.mustMerge(winner, loser)
	of := func(c customer.Customer) int {
		return storetest.Value[int](b, `SELECT count(*) FROM "Odd things" WHERE "its customer" = $1`, c.ID)
	}
	assert.Thatf(t, merged.Moved == 3 && of(winner) == 3, "moved %d", merged.Moved)
	err := b.undo(merged)
	assert.Thatf(t, err == nil && of(loser) == 3, "%d are back: %v", of(loser), err)
}

// TestEveryReferenceFollowsMerges checks that no foreign key refers to the id of customers alone, because it would keep referring to a
// merged customer.
func TestEveryReferenceFollowsMerges(t *testing.T) {
	b := setup(t)
	left := storetest.Value[[]string](b, `
		SELECT COALESCE(array_agg(conname::text), '{}') FROM pg_constraint
		WHERE contype = 'f' AND confrelid = 'customers'::regclass AND conrelid::regclass::text NOT LIKE 'customer\_%'
			AND NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = confrelid AND attnum = ANY (confkey) AND attname = 'live_id')`)
	assert.Thatf(t, len(left) == 0, "let these refer to customers (tenant_id, live_id) in place of (tenant_id, id): %v", left)
	slow := storetest.Value[[]string](b, `
		SELECT COALESCE(array_agg(table_name || '.' || column_name), '{}') FROM customer_references() AS r
		WHERE NOT EXISTS (
			SELECT FROM pg_index JOIN pg_attribute a ON a.attrelid = indrelid AND a.attnum = indkey[1]
			WHERE indrelid = r.table_name::regclass AND a.attname = r.column_name)`)
	assert.Thatf(t, len(slow) == 0, "a merge reads the whole tables of %v: add indexes on (tenant_id, …)", slow)
}

// TestReferencesAreCounted checks the counts, up to a limit, for the preview of a merge.
func TestReferencesAreCounted(t *testing.T) {
	b := setup(t)
	winner, loser := b.customer("ada@example.com", "Ada", ""), b.customer("king@example.com", "Ada", "")
	b.mustMerge(winner, loser)
	found, err := duplicate.Customers(t.Context(), b.Store.Pool, b.Tenant, []uuid.UUID{winner.ID, loser.ID})
	assert.Thatf(t, err == nil && len(found) == 1 && found[0].ID == winner.ID, "%+v, %v", found, err)
	references, err := duplicate.ReferencesOf(t.Context(), b.Store.Pool, b.Tenant, []uuid.UUID{winner.ID})
	want := duplicate.Reference{Customer: winner.ID, Table: "customers", Count: 1}
	assert.Thatf(t, err == nil && slices.Contains(references, want), "%+v, %v", references, err)
}
