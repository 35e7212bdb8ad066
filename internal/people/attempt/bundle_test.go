package attempt_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"

	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/people/attempt"
	"onlyonce/internal/postgres/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// bundle is what a test works with: a database, two tenants, and a store whose attempts are kept.
type bundle struct {
	*testing.T

	db       *pgtest.Database
	store    *idempotency.Store
	recorder *attempt.Recorder
	acme     uuid.UUID
	globex   uuid.UUID
}

func setup(t *testing.T) *bundle {
	t.Helper()
	t.Parallel()
	b := &bundle{T: t, db: pgtest.New(t), acme: uuid.New(), globex: uuid.New()}
	for _, tenant := range []uuid.UUID{b.acme, b.globex} {
		b.exec(`INSERT INTO tenants (id, name) VALUES ($1, $2)`, tenant, tenant.String())
	}
	b.recorder = attempt.Start(attempt.Config{
		Pool: b.db.Pool, Log: slog.New(slog.NewTextHandler(t.Output(), nil)), Replica: "here/1",
		Reason: func(err error) string {
			if errors.Is(err, idempotency.ErrNoKey) {
				return "key-missing"
			}
			return "problem"
		},
	})
	b.store = &idempotency.Store{
		Pool: b.db.Pool, Wait: 5 * time.Second, Timeout: 20 * time.Second,
		Observe: func(_ context.Context, a idempotency.Attempt) { b.recorder.Observe(a) },
	}
	return b
}

func (b *bundle) exec(sql string, args ...any) {
	b.Helper()
	if _, err := b.db.Admin().Exec(b.Context(), sql, args...); err != nil {
		b.Fatal(err)
	}
}

func (b *bundle) count(sql string, args ...any) (n int) {
	b.Helper()
	if err := b.db.Admin().QueryRow(b.Context(), sql, args...).Scan(&n); err != nil {
		b.Fatal(err)
	}
	return n
}

func (b *bundle) intent(tenant uuid.UUID, key string) idempotency.Intent {
	b.Helper()
	k, err := idempotency.ParseKey(key)
	if err != nil {
		b.Fatal(err)
	}
	return idempotency.Intent{Tenant: tenant, Key: k, Actor: "ada"}
}

// create makes a customer, or what becomes of it.
func (b *bundle) create(tenant uuid.UUID, key, email string) (customer.Customer, error) {
	b.Helper()
	draft, err := customer.Input{Email: email, Name: "Ada"}.Draft()
	if err != nil {
		b.Fatal(err)
	}
	done, err := customer.Upsert.Do(b.Context(), b.store, b.intent(tenant, key), draft)
	return done.Value, err
}
