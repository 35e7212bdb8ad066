// Package storetest has helpers for tests of operations: a database with one tenant, a store, and concurrent attempts.
package storetest

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/conflict"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
)

// Bundle is a separate database with one tenant.
type Bundle struct {
	*testing.T

	DB     *pgtest.Database
	Admin  *pgxpool.Pool // on DB, as the superuser, who sees the rows of all tenants
	Store  *idempotency.Store
	Tenant uuid.UUID
}

// Setup returns a bundle for a parallel test.
func Setup(t *testing.T) *Bundle {
	t.Helper()
	t.Parallel()
	b := On(t, pgtest.New(t))
	b.Exec(`INSERT INTO tenants (id, name) VALUES ($1, 'Test')`, b.Tenant)
	return b
}

// On returns a bundle on a database that has no tenant yet.
func On(t *testing.T, db *pgtest.Database) *Bundle {
	t.Helper()
	b := &Bundle{T: t, DB: db, Admin: db.Admin(), Tenant: uuid.New()}
	b.Store = b.Replica()
	return b
}

// Replica returns another store on the database, which shares only its connections with the first one.
func (b *Bundle) Replica() *idempotency.Store {
	return &idempotency.Store{Pool: b.DB.Pool, Wait: 20 * time.Second, Timeout: 30 * time.Second}
}

// Exec runs a statement as the superuser, or ends the test.
func (b *Bundle) Exec(sql string, args ...any) {
	b.Helper()
	b.OK(b.Admin.Exec(b.Context(), sql, args...))
}

// OK ends the test if an attempt failed.
func (b *Bundle) OK(_ any, err error) {
	b.Helper()
	must.OK(b, err)
}

// Intent returns an intent to create a record.
func (b *Bundle) Intent(key string) idempotency.Intent {
	b.Helper()
	parsed, err := idempotency.ParseKey(key)
	must.OK(b, err)
	return idempotency.Intent{Tenant: b.Tenant, Key: parsed, Actor: "test"}
}

// Of returns an intent to change a record from the version that was seen; 0 is any version.
func (b *Bundle) Of(key string, record uuid.UUID, seen int) idempotency.Intent {
	b.Helper()
	intent := b.Intent(key)
	intent.Record, intent.Seen = record, seen
	return intent
}

// Refuses reports an error unless PostgreSQL refuses each statement, even of the superuser, with the constraint that is its map key.
func (b *Bundle) Refuses(statements map[string][]string) {
	b.Helper()
	for constraint, all := range statements {
		for _, sql := range all {
			_, err := b.Admin.Exec(b.Context(), sql)
			if broken, ok := errors.AsType[*pgconn.PgError](err); !ok || broken.ConstraintName != constraint {
				b.Errorf("%s, not %s: %v", sql, constraint, err)
			}
		}
	}
}

// Succeeded returns how many attempts succeeded. The others must have been refused with a conflict of the kind.
func (b *Bundle) Succeeded(errs []error, kind *conflict.Kind) (n int) {
	b.Helper()
	for _, err := range errs {
		if err == nil {
			n++
		} else if !IsConflict(err, kind) {
			b.Error(err)
		}
	}
	return n
}

// InPages reports an error unless read returns the wanted rows for each of several page lengths.
func (b *Bundle) InPages(read func(length int) []string, want ...string) {
	b.Helper()
	for _, length := range []int{1, 2, 25} {
		if got := read(length); !slices.Equal(got, want) {
			b.Errorf("in pages of %d:\n%q\nwant\n%q", length, got, want)
		}
	}
}

// IsConflict reports whether an attempt was refused with a conflict of the kind.
func IsConflict(err error, kind *conflict.Kind) bool {
	refused, ok := errors.AsType[*conflict.Error](err)
	return ok && refused.Kind == kind
}

// bundled is a bundle, or a type that embeds one.
type bundled interface{ bundle() *Bundle }

func (b *Bundle) bundle() *Bundle { return b }

// Value returns the value of a query for one row with one column.
func Value[T any](of bundled, sql string, args ...any) T {
	b := of.bundle()
	b.Helper()
	rows, err := b.Admin.Query(b.Context(), sql, args...)
	must.OK(b, err)
	v, err := pgx.CollectExactlyOneRow(rows, pgx.RowTo[T])
	must.OK(b, err)
	return v
}

// Together runs attempts concurrently, from one gate, and returns their errors.
func Together(attempts int, attempt func(i int) error) []error {
	errs := make([]error, attempts)
	gate := make(chan struct{})
	var all sync.WaitGroup
	for i := range attempts {
		all.Go(func() {
			<-gate
			errs[i] = attempt(i)
		})
	}
	close(gate)
	all.Wait()
	return errs
}

// Both runs two attempts concurrently.
func Both(one, two func() error) (errOne, errTwo error) {
	errs := Together(2, func(i int) error {
		if i == 0 {
			return one()
		}
		return two()
	})
	return errs[0], errs[1]
}

// Waiting returns when the given number of connections wait for a lock.
func (b *Bundle) Waiting(count int) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), 30*time.Second)
	defer cancel()
	for waiting := 0; waiting < count; {
		must.OK(b, b.Admin.QueryRow(ctx, `
			SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&waiting))
	}
}
