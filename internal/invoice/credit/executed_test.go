package credit_test

import (
	"testing"

	"github.com/google/uuid"

	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/credit"
	"onlyonce/internal/must"
)

// TestExecutedSQL compares testdata with the statements that PostgreSQL executes.
func TestExecutedSQL(t *testing.T) {
	b := setup(t)
	inv := b.taxed("i")
	sql := b.Executed()
	d, err := credit.Input{Lines: []credit.LineInput{{Position: 1, Quantity: "1"}}, Tell: true}.Draft(inv)
	must.OK(t, err)
	made := storetest.Execute(sql, "of a line, with an email", credit.Create, uuid.Nil, 0, d)
	d, err = credit.Input{}.Draft(inv)
	must.OK(t, err)
	storetest.Execute(sql, "of all that is left", credit.Create, uuid.Nil, 0, d)
	d, err = credit.Input{Amount: "1"}.Draft(b.taxed("amount"))
	must.OK(t, err)
	storetest.Execute(sql, "of an amount", credit.Create, uuid.Nil, 0, d)
	d2, err := credit.ReverseInput{Reason: "Mistake", Tell: true}.Draft(made)
	must.OK(t, err)
	storetest.Execute(sql, "", credit.Reverse, uuid.Nil, 0, d2)
	storetest.Pages(sql, "credit notes", storetest.By(credit.List, invoice.BelowFilter{}))
	storetest.List(sql, "credit notes, a search", storetest.By(credit.List, invoice.BelowFilter{Search: "ada"}))
	storetest.List(sql, "credit notes of an invoice", storetest.By(credit.ListOf, inv.ID))
	storetest.Record(sql, "credit note", credit.Table, made.ID)
	storetest.Find(sql, "uncredited rest of an invoice", credit.LeftOf, inv.ID)
}
