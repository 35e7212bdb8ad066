package writeoff_test

import (
	"testing"

	"github.com/google/uuid"

	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/invoice/invoicetest"
	"onlyonce/internal/invoice/writeoff"
	"onlyonce/internal/must"
)

// TestExecutedSQL compares testdata with the statements that PostgreSQL executes.
func TestExecutedSQL(t *testing.T) {
	b := invoicetest.Setup(t)
	inv := b.Issued("i")
	sql := b.Executed()
	_, err := b.WriteOff("first", inv, "40")
	must.OK(t, err)
	d, err := writeoff.Input{Date: "2026-11-23", Reason: "bad_debt"}.Draft(inv)
	must.OK(t, err)
	made := storetest.Execute(sql, "", writeoff.Create, uuid.Nil, 0, d)
	storetest.Execute(sql, "", writeoff.Reverse, made.ID, 0, struct{}{})
	storetest.Pages(sql, "write-offs of an invoice", storetest.By(writeoff.ListOf, inv.ID))
	storetest.Record(sql, "write-off", writeoff.Table, made.ID)
}
