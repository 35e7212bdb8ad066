package attempt_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/people/attempt"
)

// TestExecutedSQL compares testdata with the statements that PostgreSQL executes.
func TestExecutedSQL(t *testing.T) {
	b := storetest.Setup(t)
	sql := b.Executed()
	for _, c := range []struct {
		name   string
		filter attempt.Filter
	}{
		{"attempts", attempt.Filter{}},
		{"attempts with a key", attempt.Filter{Key: "k"}},
		{"attempts with an outcome of an operation", attempt.Filter{Outcome: idempotency.Conflict, Operation: "customer.upsert"}},
	} {
		storetest.List(sql, c.name, storetest.By(attempt.List, c.filter))
	}
	storetest.Find(sql, "attempts on a record", attempt.OfRecord, uuid.New())
	sql.Section("expire", "old attempts", func() error {
		_, err := attempt.Expire(t.Context(), sql.Pool, b.Tenant, time.Now().Add(-time.Hour), 1000)
		return err
	})
}
