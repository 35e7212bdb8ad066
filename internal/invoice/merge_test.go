package invoice_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/uuid"

	"onlyonce/internal/assert"
	"onlyonce/internal/customer"
	"onlyonce/internal/customer/duplicate"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/invoice"
	"onlyonce/internal/must"
	"onlyonce/internal/record"
)

const winnerEmail, loserEmail = "ada@example.com", "ada+old@example.com"

// upsert creates a customer, or finds the one with the email and name.
func (b *bundle) upsert(key, address, name string) customer.Customer {
	b.Helper()
	d, err := customer.Input{Email: address, Name: name}.Draft()
	must.OK(b, err)
	done, err := customer.Upsert.Do(context.Background(), b.Store, b.Intent(key), d)
	must.OK(b, err)
	return done.Value
}

// two returns two customers that are the same person, the older one first.
func (b *bundle) two() (winner, loser customer.Customer) {
	b.Helper()
	return b.upsert("winner", winnerEmail, "Ada Lovelace"), b.upsert("loser", loserEmail, "Ada King")
}

// merge merges customers, in their current versions, into the first one.
func (b *bundle) merge(store *idempotency.Store, key string, customers ...customer.Customer) (duplicate.Merge, error) {
	in := duplicate.MergeInput{WinnerID: customers[0].ID.String()}
	for _, c := range customers {
		in.Customers = append(in.Customers, duplicate.SeenInput{ID: c.ID.String(), Version: int32(c.Version)})
	}
	d, err := in.Draft()
	if err != nil {
		return duplicate.Merge{}, err
	}
	done, err := duplicate.MergeCustomers.Do(context.Background(), store, b.Intent(key), d)
	return done.Value, err
}

func (b *bundle) undo(key string, m duplicate.Merge) (duplicate.Merge, error) {
	done, err := duplicate.UndoMerge.Do(context.Background(), b.Store, b.Of(key, m.ID, 0), struct{}{})
	return done.Value, err
}

// of returns the input of an invoice for the customer with an email: a customer of [bundle.two], or Grace.
func of(address string) invoice.Input {
	in := input("")
	in.Customer.Email = address
	switch address {
	case loserEmail:
		in.Customer.Name = "Ada King"
	case "grace@example.com":
		in.Customer.Name = "Grace Hopper"
	default:
		in.Customer.Name = "Ada Lovelace"
	}
	return in
}

// TestMergeMovesInvoicesOfEveryState checks that a merge moves invoices in every state, and that undoing it moves those back that are
// still there. Issued invoices keep the name of the original customer in either case.
func TestMergeMovesInvoicesOfEveryState(t *testing.T) {
	b := setup(t)
	winner, loser := b.two()
	other := b.upsert("other", "grace@example.com", "Grace Hopper")
	var all []invoice.Invoice
	for i := range 6 {
		all = append(all, b.mustCreate(fmt.Sprint("create", i), draft(t, of(loserEmail))))
	}
	for _, i := range []int{1, 2} {
		b.OK(invoice.Issue.Do(t.Context(), b.Store, b.Of(fmt.Sprint("issue", i), all[i].ID, 0), invoice.IssueDraft{}))
	}
	for _, i := range []int{2, 3} {
		must.OK(t, b.Void(fmt.Sprint("void", i), all[i]))
	}
	before := b.rows(all)

	merged, err := b.merge(b.Store, "merge", winner, loser)
	must.OK(t, err)
	assert.Thatf(t, merged.Moved == 6 && b.count(`SELECT count(*) FROM invoices WHERE customer_id = $1`, winner.ID) == 6, "%+v", merged)
	for i, inv := range all {
		name := "Ada Lovelace"
		if i == 1 || i == 2 { // issued
			name = "Ada King"
		}
		found := b.Find(inv)
		assert.Thatf(t, found.Customer.Name == name, "invoice %d names %s", i, found.Customer.Name)
		history, err := idempotency.History(t.Context(), b.DB.Pool, b.Tenant, inv.ID, record.Page{Limit: 10}, "")
		assert.Thatf(t, err == nil && history.Rows[0].Operation == "customer.merge" && history.Rows[0].What == "moved with its customer",
			"%+v, %v", history, err)
	}

	// After the merge, an invoice is created for the winner by the loser's email, and another one gets another customer.
	since := b.mustCreate("since", draft(t, of(loserEmail)))
	in := input("")
	in.Customer, in.CustomerID = nil, other.ID.String()
	elsewhere, err := b.edit(b.Store, "elsewhere", b.Find(all[5]), draft(t, in))
	must.Thatf(t, err == nil && elsewhere.Customer.ID == other.ID, "%+v, %v", elsewhere, err)
	undone, err := b.undo("undo", merged)
	must.Thatf(t, err == nil && !undone.UndoneAt.IsZero(), "%+v, %v", undone, err)
	after := b.rows(all)
	for i := range 5 {
		assert.Thatf(t, before[i] == after[i], "was %s\nis  %s", before[i], after[i])
	}
	for inv, want := range map[uuid.UUID]uuid.UUID{since.ID: winner.ID, all[5].ID: other.ID} {
		assert.Equal(t, storetest.Value[uuid.UUID](b, `SELECT customer_id FROM invoices WHERE id = $1`, inv), want, "its customer")
	}
	made := b.mustCreate("again", draft(t, of(loserEmail)))
	assert.Thatf(t, made.Customer.ID == loser.ID, "the loser's email leads to %+v", made.Customer)
}

// rows returns the stored invoices without their versions.
func (b *bundle) rows(of []invoice.Invoice) (all []string) {
	b.Helper()
	for _, inv := range of {
		all = append(all, storetest.Value[string](b,
			`SELECT (to_jsonb(i) - 'version')::text FROM invoices i WHERE id = $1`, inv.ID))
	}
	return all
}

// TestIssuedInvoicesMoveOnlyByAMerge checks that the database refuses any other UPDATE of an issued invoice, even after a merge.
func TestIssuedInvoicesMoveOnlyByAMerge(t *testing.T) {
	b := setup(t)
	winner, loser := b.two()
	inv := b.mustCreate("create", draft(t, of(loserEmail)))
	b.OK(invoice.Issue.Do(t.Context(), b.Store, b.Of("issue", inv.ID, 0), invoice.IssueDraft{}))
	to := func(c customer.Customer) string {
		return fmt.Sprintf(`UPDATE invoices SET customer_id = '%s' WHERE id = '%s'`, c.ID, inv.ID)
	}
	b.Refuses(map[string][]string{"invoices_frozen": {to(winner)}})
	merged, err := b.merge(b.Store, "merge", winner, loser)
	must.OK(t, err)
	b.Refuses(map[string][]string{"invoices_frozen": {to(loser)}})
	b.OK(b.undo("undo", merged))
	b.Refuses(map[string][]string{"invoices_frozen": {to(winner)}})
	must.OK(t, b.Void("void", inv))
	b.Refuses(map[string][]string{"invoices_life": {
		fmt.Sprintf(`UPDATE invoices SET notes = 'x' WHERE id = '%s'`, inv.ID), // void
	}, "invoices_frozen": {to(winner)}})
}

// held makes an attempt wait with all its work done, until release is called.
func (b *bundle) held(operation, key string) (release func()) {
	b.Helper()
	tx, err := b.Admin.Begin(b.Context())
	must.OK(b, err)
	must.Exec(b, tx, `
		INSERT INTO intents (tenant_id, operation, key, fingerprint, attempt_id, actor, record_id, outcome, result, expires_at)
		VALUES ($1, $2, $3, sha256(''), gen_random_uuid(), 'in the way', gen_random_uuid(), 'created', '{}', now())`,
		b.Tenant, operation, key)
	return func() { _ = tx.Rollback(context.Background()) }
}

// TestMergeInBothOrders runs a merge and another operation in both orders. The first is held with its work done until the second waits
// for it.
func TestMergeInBothOrders(t *testing.T) {
	t.Parallel()
	loserOf := func(in *invoice.Input, id uuid.UUID) { in.Customer, in.CustomerID = nil, id.String() }
	others := map[string]struct {
		operation string
		do        func(b *bundle, loser customer.Customer, inv invoice.Invoice) error
		second    func(err error) bool // checks the answer if the merge came first
	}{
		"create by email": {"invoice.create", func(b *bundle, _ customer.Customer, _ invoice.Invoice) error {
			_, err := b.create("other", draft(b.T, of(loserEmail)))
			return err
		}, succeeded},
		"create by id": {"invoice.create", func(b *bundle, loser customer.Customer, _ invoice.Invoice) error {
			in := input("")
			loserOf(&in, loser.ID)
			_, err := b.create("other", draft(b.T, in))
			return err
		}, succeeded},
		"edit of an invoice": {"invoice.edit", func(b *bundle, _ customer.Customer, inv invoice.Invoice) error {
			in := of(loserEmail)
			in.Notes = "Changed"
			_, err := b.edit(b.Store, "other", inv, draft(b.T, in))
			return err
		}, isStale},
		"issue": {"invoice.issue", func(b *bundle, _ customer.Customer, inv invoice.Invoice) error {
			_, err := invoice.Issue.Do(context.Background(), b.Store, b.Of("other", inv.ID, 0), invoice.IssueDraft{})
			return err
		}, succeeded},
		"edit of the loser": {"customer.edit", func(b *bundle, loser customer.Customer, _ invoice.Invoice) error {
			_, err := customer.Edit.Do(context.Background(), b.Store, b.Of("other", loser.ID, loser.Version),
				customer.Draft{Email: loserEmail, Name: "Ada Byron"})
			return err
		}, isStale},
		"upsert by email": {"customer.upsert", func(b *bundle, loser customer.Customer, _ invoice.Invoice) error {
			done, err := customer.Upsert.Do(context.Background(), b.Store, b.Intent("other"),
				customer.Draft{Email: loserEmail, Name: loser.Name})
			if err == nil && done.Outcome != idempotency.Reused {
				err = fmt.Errorf("the customer was %s", done.Outcome)
			}
			return err
		}, succeeded},
		"merge the other way": {"customer.merge", func(b *bundle, loser customer.Customer, _ invoice.Invoice) error {
			_, err := b.merge(b.Store, "other", loser, b.upsert("winner", winnerEmail, "Ada Lovelace"))
			return err
		}, refusedMerge},
	}
	for name, other := range others {
		for _, mergeFirst := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, merge first %v", name, mergeFirst), func(t *testing.T) {
				b := setup(t)
				winner, loser := b.two()
				inv := b.mustCreate("draft", draft(t, of(loserEmail)))
				b.upsert("winner", winnerEmail, "Ada Lovelace") // prepares the statements
				var mergeErr, otherErr error
				merge := func() { _, mergeErr = b.merge(b.Replica(), "merge", winner, loser) }
				do := func() { otherErr = other.do(b, loser, inv) }
				release, first, second := b.held("customer.merge", "merge"), merge, do
				if !mergeFirst {
					release()
					release, first, second = b.held(other.operation, "other"), do, merge
				}
				storetest.Together(3, func(i int) error {
					switch i {
					case 0:
						first()
					case 1:
						b.Waiting(1)
						second()
					default:
						defer release()
						b.Waiting(2)
					}
					return nil
				})
				assert.Thatf(t, !mergeFirst || mergeErr == nil && other.second(otherErr), "merge: %v, other: %v", mergeErr, otherErr)
				assert.Thatf(t, mergeFirst || otherErr == nil && (mergeErr == nil || refusedMerge(mergeErr)),
					"other: %v, merge: %v", otherErr, mergeErr)
				assert.Equal(t, b.count(`
					SELECT count(*) FROM invoices i JOIN customers c ON c.id = i.customer_id WHERE c.merged_into IS NOT NULL`),
					0, "invoices refer to a merged customer")
				n := b.count(`SELECT count(*) FROM customers WHERE merged_into IS NOT NULL`)
				assert.Thatf(t, n <= 1, "%d customers were merged", n)
			})
		}
	}
}

func succeeded(err error) bool { return err == nil }

func refusedMerge(err error) bool {
	return storetest.IsConflict(err, &customer.Merged) || storetest.IsConflict(err, &duplicate.ChangedMeanwhile)
}
