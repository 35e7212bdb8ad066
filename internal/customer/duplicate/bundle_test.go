package duplicate_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/conflict"
	"onlyonce/internal/customer"
	"onlyonce/internal/customer/duplicate"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/record"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

type bundle struct {
	*testing.T

	db     *pgtest.Database
	pool   *pgxpool.Pool // on db, as behind PgBouncer, where pgx has to know the types of all parameters
	admin  *pgxpool.Pool // on db, as the superuser
	store  *idempotency.Store
	tenant uuid.UUID
	keys   int
}

func setup(t *testing.T) *bundle {
	t.Helper()
	t.Parallel()
	b := &bundle{T: t, db: pgtest.New(t), tenant: uuid.New()}
	b.admin = b.db.Admin()
	config := b.db.Pool.Config()
	config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec
	var err error
	if b.pool, err = pgxpool.NewWithConfig(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.pool.Close)
	b.store = &idempotency.Store{Pool: b.pool, Wait: 10 * time.Second, Timeout: 20 * time.Second}
	b.exec(`INSERT INTO tenants (id, name) VALUES ($1, 'Test')`, b.tenant)
	return b
}

func (b *bundle) exec(sql string, args ...any) {
	b.Helper()
	if _, err := b.admin.Exec(b.Context(), sql, args...); err != nil {
		b.Fatal(err)
	}
}

func get[T any](b *bundle, sql string, args ...any) T {
	b.Helper()
	rows, err := b.admin.Query(b.Context(), sql, args...)
	if err != nil {
		b.Fatal(err)
	}
	value, err := pgx.CollectExactlyOneRow(rows, pgx.RowTo[T])
	if err != nil {
		b.Fatal(err)
	}
	return value
}

// intent is a new one, about a record if there is one.
func (b *bundle) intent(of uuid.UUID, seen int) idempotency.Intent {
	b.Helper()
	b.keys++
	key, err := idempotency.ParseKey(fmt.Sprint("key ", b.keys))
	if err != nil {
		b.Fatal(err)
	}
	return idempotency.Intent{Tenant: b.tenant, Key: key, Actor: "test", Record: of, Seen: seen}
}

// customer creates one.
func (b *bundle) customer(email, name, taxID string) customer.Customer {
	b.Helper()
	in := customer.Input{Email: email, Name: name}
	in.TaxID = taxID
	d, err := in.Draft()
	if err != nil {
		b.Fatal(err)
	}
	done, err := customer.Upsert.Do(b.Context(), b.store, b.intent(uuid.Nil, 0), d)
	if err != nil {
		b.Fatal(err)
	}
	return done.Value
}

// now is a customer as it is now.
func (b *bundle) now(c customer.Customer) customer.Customer {
	b.Helper()
	found, err := customer.Table.Find(b.Context(), b.pool, b.tenant, c.ID)
	if err != nil {
		b.Fatal(err)
	}
	return found
}

// merge merges customers, as they are now, into the first one.
func (b *bundle) merge(all ...customer.Customer) (duplicate.Merge, error) {
	b.Helper()
	in := duplicate.MergeInput{WinnerID: all[0].ID.String()}
	for _, c := range all {
		in.Customers = append(in.Customers, duplicate.SeenInput{ID: c.ID.String(), Version: int32(b.now(c).Version)})
	}
	d, err := in.Draft()
	if err != nil {
		return duplicate.Merge{}, err
	}
	done, err := duplicate.MergeCustomers.Do(b.Context(), b.store, b.intent(uuid.Nil, 0), d)
	return done.Value, err
}

func (b *bundle) mustMerge(all ...customer.Customer) duplicate.Merge {
	b.Helper()
	merged, err := b.merge(all...)
	if err != nil {
		b.Fatal(err)
	}
	return merged
}

func (b *bundle) undo(m duplicate.Merge) error {
	_, err := duplicate.UndoMerge.Do(context.Background(), b.store, b.intent(m.ID, 0), struct{}{})
	return err
}

// mergedInto is the id of the customer that one was merged into; uuid.Nil for none.
func (b *bundle) mergedInto(c customer.Customer) uuid.UUID { return b.now(c).MergedInto.ID }

func (b *bundle) wantConflict(err error, kind *conflict.Kind) {
	b.Helper()
	if refused, ok := errors.AsType[*conflict.Error](err); !ok || refused.Kind != kind {
		b.Errorf("want the conflict %s, got %v", kind.Slug, err)
	}
}

// refuses fails unless PostgreSQL refuses a statement of the superuser by a constraint.
func (b *bundle) refuses(constraint, sql string, args ...any) {
	b.Helper()
	_, err := b.admin.Exec(b.Context(), sql, args...)
	if broken, ok := errors.AsType[*pgconn.PgError](err); !ok || broken.ConstraintName != constraint {
		b.Errorf("%s: %v", sql, err)
	}
}

// groups are all groups, read in pages of a length, each as "why: names".
func (b *bundle) groups(length int) (all []string) {
	b.Helper()
	var from record.Key
	for {
		list, err := duplicate.List(b.Context(), b.pool, b.tenant, record.Page{From: from, Limit: length})
		if err != nil {
			b.Fatal(err)
		}
		for _, g := range list.Rows {
			text := fmt.Sprint(g.Why, " ", g.Count)
			for _, c := range g.Customers {
				text += " " + c.Email
			}
			all = append(all, text)
		}
		if (list.After == record.Key{}) {
			return all
		}
		from = list.After
	}
}
