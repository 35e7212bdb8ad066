// Package customertest creates customers for tests, including tests of records that refer to them.
package customertest

import (
	"testing"

	"github.com/google/uuid"

	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/must"
)

// New returns the id of a tenant's customer, the same one each time.
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
