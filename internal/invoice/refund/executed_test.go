package refund_test

import (
	"testing"

	"github.com/google/uuid"

	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/invoice/refund"
	"onlyonce/internal/must"
)

// TestExecutedSQL compares testdata with the statements that PostgreSQL executes.
func TestExecutedSQL(t *testing.T) {
	b := setup(t)
	_, p := b.paid("i")
	sql := b.Executed()
	_, err := b.refund("first", p, refund.Input{Amount: "40"})
	must.OK(t, err)
	d, err := refund.Input{Amount: "60", Date: "2026-11-23"}.Draft(p)
	must.OK(t, err)
	made := storetest.Execute(sql, "", refund.Create, uuid.Nil, 0, d)
	storetest.Pages(sql, "refunds of a payment", storetest.By(refund.ListOf, p.ID))
	storetest.Record(sql, "refund", refund.Table, made.ID)
	storetest.Execute(sql, "", refund.Remove, made.ID, 0, struct{}{})
}
