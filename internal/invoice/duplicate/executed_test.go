package duplicate_test

import (
	"testing"

	"github.com/google/uuid"

	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/invoice/duplicate"
	"onlyonce/internal/must"
)

// TestExecutedSQL compares testdata with the statements that PostgreSQL executes.
func TestExecutedSQL(t *testing.T) {
	b := setup(t)
	one, other := b.bill("2026-0001", 1, nil), b.bill("2026-0002", 2, nil)
	sql := b.Executed()
	storetest.List(sql, "groups of similar invoices", duplicate.List)
	ids := []string{one.ID.String(), other.ID.String()}
	d, err := duplicate.ApartInput{Invoices: ids}.Draft()
	must.OK(t, err)
	storetest.Execute(sql, "", duplicate.KeepApart, uuid.Nil, 0, d)
	storetest.List(sql, "distinctions", duplicate.Apart)
	storetest.Find(sql, "invoices of a choice", duplicate.Of, ids)
	storetest.Find(sql, "invoices voided as duplicates of another", duplicate.KeptFor, one.ID)
}
