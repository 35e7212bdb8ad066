package idempotency_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"onlyonce/internal/assert"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/record"
)

// rename returns a change of an item, and finish a transition.
func rename() idempotency.Spec[order, item] {
	return idempotency.Spec[order, item]{
		Kind: idempotency.Change, Name: "item.rename", Table: items,
		Statements: func(tx *idempotency.Tx, o order) idempotency.Result {
			tx.Exec(`UPDATE items SET name = @name WHERE tenant_id = @tenant_id AND id = @record_id`, pgx.NamedArgs{"name": o.Name})
			return tx.Record()
		},
	}
}

func finish() idempotency.Spec[struct{}, item] {
	return idempotency.Spec[struct{}, item]{
		Kind: idempotency.Transition, Name: "item.finish", Table: items, Made: `r.done`,
		Statements: func(tx *idempotency.Tx, _ struct{}) idempotency.Result {
			tx.Exec(`UPDATE items SET done = true WHERE tenant_id = @tenant_id AND id = @record_id`, nil)
			// An effect whose second execution fails, because the id is taken.
			tx.Exec(`INSERT INTO items (tenant_id, id, name) VALUES (@tenant_id, @effect, 'told')`, pgx.NamedArgs{"effect": tx.ID(1)})
			return tx.Record()
		},
	}
}

type (
	renaming  = idempotency.Operation[order, item]
	finishing = idempotency.Operation[struct{}, item]
)

// inStyles runs a test with a change and a transition in each style.
func inStyles(t *testing.T, test func(b *bundle, a item, rename renaming, finish finishing)) {
	t.Helper()
	for _, style := range []string{"statements", "interactive"} {
		t.Run(style, func(t *testing.T) {
			b := setup(t)
			rename, finish := rename(), finish()
			if style == "interactive" {
				rename.Statements, finish.Statements = nil, nil
				rename.Run = func(ctx context.Context, tx pgx.Tx, i idempotency.Intent, o order) (item, error) {
					_, err := tx.Exec(ctx, `UPDATE items SET name = $3 WHERE tenant_id = $1 AND id = $2`, i.Tenant, i.Record, o.Name)
					return item{ID: i.Record, Name: o.Name}, err
				}
				finish.Run = func(ctx context.Context, tx pgx.Tx, i idempotency.Intent, _ struct{}) (item, error) {
					_, err := tx.Exec(ctx, `UPDATE items SET done = true WHERE tenant_id = $1 AND id = $2`, i.Tenant, i.Record)
					if err != nil {
						return item{}, err
					}
					_, err = tx.Exec(ctx, `INSERT INTO items (tenant_id, id, name) VALUES ($1, $2, 'told')`, i.Tenant, i.ID(1))
					return item{ID: i.Record, Name: "a"}, err
				}
			}
			made, err := idempotency.Define(spec()).Do(t.Context(), b.Store, b.Intent("create"), order{"a"})
			must.OK(t, err)
			test(b, made.Value, idempotency.Define(rename), idempotency.Define(finish))
		})
	}
}

func TestChange(t *testing.T) {
	t.Parallel()
	inStyles(t, func(b *bundle, a item, rename renaming, _ finishing) {
		first, err := rename.Do(b.Context(), b.Store, b.Of("k", a.ID, 1), order{"b"})
		must.Thatf(b, err == nil && !first.Replayed && first.Outcome == idempotency.Changed && first.Value.Name == "b",
			"%+v, %v", first, err)
		// A concurrent change.
		b.OK(rename.Do(b.Context(), b.Store, b.Of("other", a.ID, 2), order{"c"}))
		again, err := rename.Do(b.Context(), b.Store, b.Of("k", a.ID, 1), order{"b"})
		assert.Thatf(b, err == nil && again.Replayed && again.Value == first.Value && again.Outcome == first.Outcome,
			"again: %+v, %v", again, err)
		again, err = rename.Do(b.Context(), b.replica(), b.Of("k", a.ID, 3), order{"b"}) // the user has reloaded the record
		assert.Thatf(b, err == nil && again.Replayed && again.Value == first.Value, "again, from another version: %+v, %v", again, err)
		var stale *idempotency.StaleError
		b.Exec(`INSERT INTO items (tenant_id, id, name) VALUES ($1, $2, 'taken')`, b.Tenant, uuid.New())
		for _, name := range []string{"d", "taken"} { // in spite of other errors
			_, err := rename.Do(b.Context(), b.Store, b.Of("late", a.ID, 1), order{name})
			assert.Thatf(b, errors.As(err, &stale) && stale.Record == a.ID, "to %s from an old version: %v", name, err)
		}
		if _, err := rename.Do(b.Context(), b.Store, b.Of("late", a.ID, 0), order{"d"}); !errors.Is(err, idempotency.ErrNoVersion) {
			b.Errorf("without a version: %v", err)
		}
		if _, err := rename.Do(b.Context(), b.Store, b.Of("late", uuid.New(), 1), order{"d"}); !errors.Is(err, record.ErrNotFound) {
			b.Errorf("of nothing: %v", err)
		}
		var mismatch *idempotency.MismatchError
		if _, err := rename.Do(b.Context(), b.Store, b.Of("k", a.ID, 3), order{"d"}); !errors.As(err, &mismatch) {
			b.Errorf("another command: %v", err)
		}
		if _, err := rename.Do(b.Context(), b.Store, b.Of("k", uuid.New(), 1), order{"b"}); !errors.As(err, &mismatch) {
			b.Errorf("another record: %v", err)
		}
		// Refused attempts left the key free. A change that changes nothing is no conflict, even from an old version.
		same, err := rename.Do(b.Context(), b.Store, b.Of("late", a.ID, 1), order{"c"})
		assert.Thatf(b, err == nil && !same.Replayed && same.Outcome == idempotency.Unchanged && same.Value.Name == "c",
			"the same content: %+v, %v", same, err)
		list, err := idempotency.History(b.Context(), b.Store.Pool, b.Tenant, a.ID, record.Page{Limit: 10}, "")
		history := list.Rows
		var what []string
		for _, entry := range history {
			what = append(what, entry.What)
		}
		must.Thatf(b, err == nil && slices.Equal(what, []string{"unchanged", "changed", "changed", "created"}), "%+v, %v", history, err)
		if name := history[1].Changes["name"]; len(history[1].Changes) != 1 || string(name[0]) != `"b"` || string(name[1]) != `"c"` {
			b.Errorf("changes %s", history[1].Changes)
		}
		assert.Thatf(b, history[0].Changes == nil && history[3].Changes == nil, "changes of what changed nothing: %+v", history)
	})
}

// TestOneChangeOfAVersion checks that only one of many concurrent changes from the same version succeeds.
func TestOneChangeOfAVersion(t *testing.T) {
	t.Parallel()
	inStyles(t, func(b *bundle, a item, rename renaming, _ finishing) {
		const crowd = 20
		errs := make([]error, crowd)
		rush(crowd, func(i int) {
			_, errs[i] = rename.Do(context.Background(), b.Store, b.Of(string(rune('a'+i)), a.ID, 1), order{string(rune('A' + i))})
		})()
		done := 0
		for _, err := range errs {
			var stale *idempotency.StaleError
			switch {
			case err == nil:
				done++
			case !errors.As(err, &stale):
				b.Error(err)
			}
		}
		version := b.count(`SELECT version FROM items`)
		assert.Thatf(b, done == 1 && version == 2, "%d changes, version %d", done, version)
		b.want(1, `SELECT count(*) FROM intents WHERE operation = 'item.rename'`)
	})
}

func TestTransition(t *testing.T) {
	t.Parallel()
	inStyles(t, func(b *bundle, a item, _ renaming, finish finishing) {
		const crowd = 20
		done, errs := make([]idempotency.Done[item], crowd), make([]error, crowd)
		rush(crowd, func(i int) {
			done[i], errs[i] = finish.Do(context.Background(), b.Store, b.Of(string(rune('a'+i)), a.ID, 0), struct{}{})
		})()
		outcomes := map[idempotency.Outcome]int{}
		for i, err := range errs {
			must.OK(b, err)
			outcomes[done[i].Outcome]++
		}
		assert.Thatf(b, outcomes[idempotency.Changed] == 1 && outcomes[idempotency.Unchanged] == crowd-1, "outcomes %v", outcomes)
		version, told := b.count(`SELECT version FROM items WHERE done`), b.count(`SELECT count(*) FROM items WHERE name = 'told'`)
		assert.Thatf(b, version == 2 && told == 1, "version %d, told %d times", version, told)
		// The state is undone. A repeat of an earlier intent is still a replay, not a new transition.
		b.Exec(`UPDATE items SET done = false WHERE name = 'a'`)
		again, err := finish.Do(b.Context(), b.replica(), b.Of("a", a.ID, 0), struct{}{})
		assert.Thatf(b, err == nil && again.Replayed && again.Outcome == done[0].Outcome, "%+v, %v", again, err)
		assert.Thatf(b, b.count(`SELECT count(*) FROM items WHERE done`) == 0, "a repeat has made it so again")
		if _, err := finish.Do(b.Context(), b.Store, b.Of("new", uuid.New(), 0), struct{}{}); !errors.Is(err, record.ErrNotFound) {
			b.Errorf("of nothing: %v", err)
		}
		var stale *idempotency.StaleError
		if _, err := finish.Do(b.Context(), b.Store, b.Of("new", a.ID, 1), struct{}{}); !errors.As(err, &stale) {
			b.Errorf("from an old version: %v", err)
		}
	})
}

// TestTransitionThatLies checks that work that does not reach the state is rolled back.
func TestTransitionThatLies(t *testing.T) {
	b := setup(t)
	made, err := idempotency.Define(spec()).Do(t.Context(), b.Store, b.Intent("create"), order{"a"})
	must.OK(t, err)
	lying := finish()
	lying.Statements = func(tx *idempotency.Tx, _ struct{}) idempotency.Result {
		tx.Exec(`UPDATE items SET name = 'finished' WHERE tenant_id = @tenant_id AND id = @record_id`, nil)
		return tx.Record()
	}
	if _, err := idempotency.Define(lying).Do(t.Context(), b.Store, b.Of("k", made.Value.ID, 0), struct{}{}); err == nil {
		t.Error("accepted")
	}
	b.want(1, `SELECT count(*) FROM items WHERE name = 'a'`)
}

// TestLeftOutOfTheFingerprint checks that Define refuses a command with a field that the fingerprint would leave out.
func TestLeftOutOfTheFingerprint(t *testing.T) {
	t.Parallel()
	refuses[struct {
		Name string `json:"-"`
	}](t)
	refuses[struct{ name string }](t)
	refuses[struct {
		Lines []struct {
			Net int `json:"-"`
		}
	}](t)
	type named struct {
		Name  string
		Again bool `json:"-"`
	}
	allowed := idempotency.Spec[named, item]{
		Name: "x", Table: items, NotInFingerprint: []string{"Again"},
		Statements: func(tx *idempotency.Tx, _ named) idempotency.Result { return tx.Record() },
	}
	assert.Thatf(t, !panics(func() { idempotency.Define(allowed) }), "refused what was named")
}

func refuses[C any](t *testing.T) {
	t.Helper()
	if !panics(func() {
		idempotency.Define(idempotency.Spec[C, item]{
			Name: "x", Table: items, Statements: func(tx *idempotency.Tx, _ C) idempotency.Result { return tx.Record() },
		})
	}) {
		var command C
		t.Errorf("accepted %T", command)
	}
}

// TestWhatOthersChangedIsNoChange checks that a difference in a referenced record, which the JSON includes, counts as a change only
// together with a difference in the record itself.
func TestWhatOthersChangedIsNoChange(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	for after, want := range map[string]string{
		`{"version": 1, "name": "a", "customer": "Ada"}`:  "",
		`{"version": 1, "name": "a", "customer": "King"}`: "",
		`{"version": 2, "name": "b", "customer": "King"}`: `{"name": ["a", "b"], "version": [1, 2], "customer": ["Ada", "King"]}`,
	} {
		var got string
		err := db.Pool.QueryRow(t.Context(), `
			SELECT COALESCE(end_change(true, $2::json)::text, '')
			FROM set_config('onlyonce.before', $1, true)`,
			`{"version": 1, "name": "a", "customer": "Ada"}`, after).Scan(&got)
		assert.Thatf(t, err == nil && got == want, "behind %s: %q, %v, want %q", after, got, err, want)
	}
}
