// Package customertest makes customers for tests, also of what refers to them.
package customertest

import (
	"testing"

	"github.com/google/uuid"

	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency"
)

// New returns the id of a customer of a tenant: the same one each time.
func New(t testing.TB, store *idempotency.Store, tenant uuid.UUID) uuid.UUID {
	t.Helper()
	key, err := idempotency.ParseKey("customertest")
	if err != nil {
		t.Fatal(err)
	}
	d, err := customer.Input{Email: "ada@example.com", Name: "Ada Lovelace"}.Draft()
	if err != nil {
		t.Fatal(err)
	}
	done, err := customer.Upsert.Do(t.Context(), store, idempotency.Intent{Tenant: tenant, Key: key, Actor: "test"}, d)
	if err != nil {
		t.Fatal(err)
	}
	return done.Value.ID
}
