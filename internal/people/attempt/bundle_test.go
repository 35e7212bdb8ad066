package attempt_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"github.com/google/uuid"

	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/must"
	"onlyonce/internal/people/attempt"
	"onlyonce/internal/postgres/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// bundle has a database, two tenants, and a store whose attempts are kept.
type bundle struct {
	*storetest.Bundle

	recorder     *attempt.Recorder
	acme, globex uuid.UUID
}

func setup(t *testing.T) *bundle {
	t.Helper()
	b := &bundle{Bundle: storetest.Setup(t), globex: uuid.New()}
	b.acme = b.Tenant
	b.Exec(`INSERT INTO tenants (id, name) VALUES ($1, 'Globex')`, b.globex)
	b.recorder = attempt.Start(attempt.Config{
		Pool: b.DB.Pool, Log: slog.New(slog.NewTextHandler(t.Output(), nil)), Replica: "here/1",
		Reason: func(err error) string {
			if errors.Is(err, idempotency.ErrNoKey) {
				return "key-missing"
			}
			return "problem"
		},
	})
	b.Store.Observe = func(_ context.Context, a idempotency.Attempt) { b.recorder.Observe(a) }
	return b
}

func (b *bundle) count(sql string, args ...any) int {
	b.Helper()
	return storetest.Value[int](b, sql, args...)
}

// intent returns an intent of a user in a tenant.
func (b *bundle) intent(tenant uuid.UUID, key string) idempotency.Intent {
	b.Helper()
	intent := b.Intent(key)
	intent.Tenant, intent.Actor = tenant, "ada"
	return intent
}

// create creates a customer, or returns the error.
func (b *bundle) create(tenant uuid.UUID, key, email string) (customer.Customer, error) {
	b.Helper()
	draft, err := customer.Input{Email: email, Name: "Ada"}.Draft()
	must.OK(b, err)
	done, err := customer.Upsert.Do(b.Context(), b.Store, b.intent(tenant, key), draft)
	return done.Value, err
}
