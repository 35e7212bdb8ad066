// Package storetest has what the tests of operations share: a database with one tenant, a store, and attempts that begin at once.
package storetest

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/conflict"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/proof/must"
)

// Bundle is a database of its own with one tenant.
type Bundle struct {
	*testing.T

	DB     *pgtest.Database
	Admin  *pgxpool.Pool // on DB, as the superuser, who sees the rows of all tenants
	Store  *idempotency.Store
	Tenant uuid.UUID
}

// Setup makes a bundle for a test that runs beside others.
func Setup(t *testing.T) *Bundle {
	t.Helper()
	t.Parallel()
	b := On(t, pgtest.New(t))
	b.Exec(`INSERT INTO tenants (id, name) VALUES ($1, 'Test')`, b.Tenant)
	return b
}

// On is a bundle on a database that knows of no tenant yet.
func On(t *testing.T, db *pgtest.Database) *Bundle {
	t.Helper()
	b := &Bundle{T: t, DB: db, Admin: db.Admin(), Tenant: uuid.New()}
	b.Store = b.Replica()
	return b
}

// Replica is another store on the database, which shares nothing with the first one in this process but its connections.
func (b *Bundle) Replica() *idempotency.Store {
	return &idempotency.Store{Pool: b.DB.Pool, Wait: 20 * time.Second, Timeout: 30 * time.Second}
}

// Exec runs a statement as the superuser.
func (b *Bundle) Exec(sql string, args ...any) {
	b.Helper()
	b.OK(b.Admin.Exec(b.Context(), sql, args...))
}

// OK ends the test if an attempt that has to succeed did not.
func (b *Bundle) OK(_ any, err error) {
	b.Helper()
	must.OK(b, err)
}

// Intent is one to create something.
func (b *Bundle) Intent(key string) idempotency.Intent {
	b.Helper()
	parsed, err := idempotency.ParseKey(key)
	must.OK(b, err)
	return idempotency.Intent{Tenant: b.Tenant, Key: parsed, Actor: "test"}
}

// Of is an intent about a record, in the version that was seen; 0 for any.
func (b *Bundle) Of(key string, record uuid.UUID, seen int) idempotency.Intent {
	b.Helper()
	intent := b.Intent(key)
	intent.Record, intent.Seen = record, seen
	return intent
}

// Refuses fails unless PostgreSQL refuses each statement, also one of the superuser, by the constraint that it stands under.
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

// Succeeded returns how many of some attempts succeeded. The others have to be refused by a conflict of this kind.
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

// InPages fails unless what is read in pages of a length is what is wanted, for each of some lengths.
func (b *Bundle) InPages(read func(length int) []string, want ...string) {
	b.Helper()
	for _, length := range []int{1, 2, 25} {
		if got := read(length); !slices.Equal(got, want) {
			b.Errorf("in pages of %d:\n%q\nwant\n%q", length, got, want)
		}
	}
}

// IsConflict reports whether an attempt was refused by a conflict of this kind.
func IsConflict(err error, kind *conflict.Kind) bool {
	refused, ok := errors.AsType[*conflict.Error](err)
	return ok && refused.Kind == kind
}

// bundled is a bundle, or what embeds one.
type bundled interface{ bundle() *Bundle }

func (b *Bundle) bundle() *Bundle { return b }

// Value returns what a query of one row with one column finds.
func Value[T any](of bundled, sql string, args ...any) T {
	b := of.bundle()
	b.Helper()
	rows, err := b.Admin.Query(b.Context(), sql, args...)
	must.OK(b, err)
	v, err := pgx.CollectExactlyOneRow(rows, pgx.RowTo[T])
	must.OK(b, err)
	return v
}
