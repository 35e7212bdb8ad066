package customerimport_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"onlyonce/internal/assert"
	"onlyonce/internal/conflict"
	"onlyonce/internal/customer"
	"onlyonce/internal/customer/customerimport"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/importing"
	"onlyonce/internal/importing/importingtest"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres"
	"onlyonce/internal/record"
)

type bundle struct{ *importingtest.Bundle }

// act carries out a transition of an import.
func (b bundle) act(op idempotency.Operation[struct{}, importing.Import], key string, i importing.Import) (idempotency.Outcome, error) {
	intent := b.Intent(key)
	intent.Record, intent.Actor = i.ID, importingtest.Actor
	done, err := op.Do(context.Background(), b.Store, intent, struct{}{})
	return done.Outcome, err
}

// done imports a file.
func (b bundle) done(key, content string) importing.Import {
	b.Helper()
	i := b.Confirmed(key, content)
	must.OK(b, b.Work(b.Context(), b.Store, i))
	return i
}

// live returns the number of customers that were not taken back.
func (b bundle) live() int {
	return storetest.Value[int](b, `SELECT count(*) FROM customers WHERE NOT taken_back`)
}

// first returns the oldest customer.
func (b bundle) first() uuid.UUID {
	return storetest.Value[uuid.UUID](b, `SELECT id FROM customers ORDER BY id LIMIT 1`)
}

func (b bundle) edit(id uuid.UUID) error {
	_, err := customer.Edit.Do(context.Background(), b.Store, b.Of("edit "+id.String(), id, 1), customer.Draft{Name: "Edited"})
	return err
}

// refer inserts a row that refers to a customer, in a table like that of a fork.
func (b bundle) refer(id uuid.UUID) error {
	return postgres.InTenant(context.Background(), b.Store.Pool, b.Tenant, func(tx pgx.Tx) error {
		_, err := tx.Exec(context.Background(), `INSERT INTO borrowings SELECT $1, $2`, b.Tenant, id)
		return err
	})
}

// withBorrowings creates the table of [bundle.refer].
func withBorrowings(t *testing.T) bundle {
	t.Helper()
	b := bundle{setup(t)}
	b.DB.Spoil(t)
	must.Exec(t, b.DB.Admin(), `
		CREATE TABLE borrowings (
			tenant_id uuid NOT NULL, customer_id uuid NOT NULL,
			FOREIGN KEY (tenant_id, customer_id) REFERENCES customers (tenant_id, live_id));
		CREATE TRIGGER refuse_erased_customer BEFORE INSERT ON borrowings FOR EACH ROW EXECUTE FUNCTION refuse_erased_customer();
		ALTER TABLE borrowings OWNER TO onlyonce`)
	return b
}

const withID = "ID,Name,Email\n1,Ada,ada@example.com\n,Eve,\n3,Grace,\n"

// TestTakenBack takes an import back. Its customers are in no list, and the same file creates them anew.
func TestTakenBack(t *testing.T) {
	b := bundle{setup(t)}
	i := b.done("import", withID)
	id := b.first()
	for n, want := range []idempotency.Outcome{idempotency.Changed, idempotency.Unchanged} {
		outcome, err := b.act(customerimport.Kind.TakeBack, fmt.Sprint("take back ", n), i)
		assert.Thatf(t, err == nil && outcome == want, "%s, %v", outcome, err)
	}
	for n, op := range []idempotency.Operation[struct{}, importing.Import]{customerimport.Kind.Stop, customerimport.Kind.Continue} {
		_, err := b.act(op, fmt.Sprint("go on ", n), i)
		assert.Thatf(t, storetest.IsConflict(err, &importing.Over), "%v", err)
	}
	for _, f := range []customer.Filter{{}, {Archived: true}, {Archived: true, Sort: "name"}, {Archived: true, Search: "customer"}} {
		list, err := customer.List(t.Context(), b.Store.Pool, b.Tenant, f, record.Page{Limit: 10})
		assert.Thatf(t, err == nil && len(list.Rows) == 0, "%+v lists %+v, %v", f, list.Rows, err)
	}
	c, err := record.Find(t.Context(), b.Store.Pool, customer.Table, b.Tenant, id)
	assert.Thatf(t, err == nil && c.TakenBack && !c.ErasedAt.IsZero() && c.Version == 2 && c.Email == "", "%+v, %v", c, err)
	history, err := idempotency.History(t.Context(), b.Store.Pool, b.Tenant, id, record.Page{Limit: 1}, "")
	assert.Thatf(t, err == nil && history.Rows[0].What == "taken back with its import", "%+v, %v", history.Rows, err)
	assert.Equal(t, b.Imported("again", withID+",Erased customer,\n"), "4 created, 0 known, 0 left out, 7 customers")
	assert.Equal(t, b.live(), 4)
}

// TestNotTakenBack refuses to take back an import, and changes nothing.
func TestNotTakenBack(t *testing.T) {
	for name, c := range map[string]struct {
		before func(bundle, importing.Import) error // before it is taken back
		want   *conflict.Kind
		names  string // the records in the conflict
	}{
		"running": {func(b bundle, _ importing.Import) error {
			b.Exec(`DELETE FROM import_chunks`)
			return nil
		}, &importing.InProgress, ""},
		"not confirmed": {func(b bundle, _ importing.Import) error {
			b.Exec(`UPDATE imports SET state = 'uploaded', confirmed_at = NULL`)
			return nil
		}, &importing.NotConfirmed, ""},
		"too late": {func(b bundle, _ importing.Import) error {
			b.Exec(`UPDATE imports SET confirmed_at = now() - interval '30 days 1 second'`)
			return nil
		}, &importing.TooLate, ""},
		"changed": {func(b bundle, _ importing.Import) error { return b.edit(b.first()) }, &importing.InUse, "Edited"},
		"used": {func(b bundle, _ importing.Import) error {
			for _, id := range storetest.Value[[]uuid.UUID](b, `SELECT array_agg(id ORDER BY id) FROM customers WHERE name <> 'Eve'`) {
				must.OK(b, b.refer(id))
			}
			return nil
		}, &importing.InUse, "Ada, Grace"},
	} {
		t.Run(name, func(t *testing.T) {
			b := withBorrowings(t)
			i := b.done("import", withID)
			must.OK(t, c.before(b, i))
			i, err := record.Find(t.Context(), b.Store.Pool, customerimport.Kind.Table, b.Tenant, i.ID)
			must.OK(t, err)
			_, err = b.act(customerimport.Kind.TakeBack, "take back", i)
			for _, err := range []error{err, customerimport.Kind.Possible(t.Context(), b.Store.Pool, b.Tenant, i)} {
				refused, _ := err.(*conflict.Error) //nolint:errorlint // neither wraps it
				must.Thatf(t, refused != nil && refused.Kind == c.want, "%v", err)
				names := []string{refused.Name}
				for _, other := range refused.Others {
					names = append(names, other.Name)
				}
				slices.Sort(names)
				assert.Equal(t, strings.Join(names, ", "), c.names)
			}
			assert.Equal(t, b.live(), 3)
		})
	}
}

// TestTakenBackAtOnce takes back an import while something else happens. Either that or taking back is refused.
func TestTakenBackAtOnce(t *testing.T) {
	for name, other := range map[string]func(bundle, importing.Import, uuid.UUID) error{
		"edited": func(b bundle, _ importing.Import, id uuid.UUID) error { return b.edit(id) },
		"used":   func(b bundle, _ importing.Import, id uuid.UUID) error { return b.refer(id) },
		"continued": func(b bundle, i importing.Import, _ uuid.UUID) error {
			_, err := b.act(customerimport.Kind.Continue, "continue "+i.ID.String(), i)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := withBorrowings(t)
			for n := range 12 {
				key := fmt.Sprint("import ", n)
				i := b.done(key, fmt.Sprintf("Name\nAda %d\nEve %[1]d\n", n))
				id := storetest.Value[uuid.UUID](b, `SELECT id FROM customers WHERE name = $1`, fmt.Sprintf("Eve %d", n))
				b.Exec(`DELETE FROM import_chunks`)
				_, err := b.act(customerimport.Kind.Stop, "stop "+key, i)
				must.OK(t, err)
				errs := storetest.Together(5, func(at int) error {
					if at == 4 {
						return other(b, i, id)
					}
					_, err := b.act(customerimport.Kind.TakeBack, fmt.Sprint("take back ", n, at%2), i)
					return err
				})
				back := storetest.Value[int](b, `SELECT count(*) FROM customers WHERE taken_back AND id = $1`, id)
				for at, err := range errs {
					assert.Thatf(t, (err == nil) == (at < 4 == (back == 1)), "%d: taken back %d, attempt %d: %v", n, back, at, err)
				}
				made := storetest.Value[int](b, `
					SELECT count(*) FROM intents
					WHERE record_id = $1 AND operation = 'customer_import.reverse' AND outcome = 'changed'`, i.ID)
				assert.Equal(t, made, back, "intents that have taken it back")
			}
		})
	}
}

// TestTakenBackWhileItsJobWorks stops and takes back an import whose job is in the middle of its rows.
func TestTakenBackWhileItsJobWorks(t *testing.T) {
	b := bundle{setup(t)}
	i := b.Confirmed("import", "Name\n"+strings.ReplaceAll(rows(0, 400), ",", " "))
	var attempts atomic.Int32
	working := *b.Replica()
	working.Observe = func(context.Context, idempotency.Attempt) {
		if attempts.Add(1) == 100 {
			_, err := b.act(customerimport.Kind.Stop, "stop", i)
			assert.Thatf(t, err == nil, "stop: %v", err)
			_, err = b.act(customerimport.Kind.TakeBack, "take back", i)
			assert.Thatf(t, err == nil, "take back: %v", err)
		}
	}
	must.OK(t, b.Work(t.Context(), &working, i))
	assert.Thatf(t, b.Records() >= 100 && b.live() == 0, "%d customers, %d not taken back", b.Records(), b.live())
}
