// Package customertest makes customers for tests, also of what refers to them.
package customertest

import (
	"testing"

	"github.com/google/uuid"

	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/proof/must"
)

// New returns the id of a customer of a tenant: the same one each time.
func New(t testing.TB, store *idempotency.Store, tenant uuid.UUID) uuid.UUID {
	t.Helper()
	key, err := idempotency.ParseKey("customertest")
	must.OK(t, err)
	d, err := customer.Input{Email: "ada@example.com", Name: "Ada Lovelace"}.Draft()
	must.OK(t, err)
	done, err := customer.Upsert.Do(t.Context(), store, idempotency.Intent{Tenant: tenant, Key: key, Actor: "test"}, d)
	must.OK(t, err)
	return done.Value.ID
}
