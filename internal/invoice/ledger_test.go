package invoice_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/credit"
	"onlyonce/internal/invoice/refund"
	"onlyonce/internal/must"
	"onlyonce/internal/record"
)

// TestLedgerInPages checks that payments, refunds and credit notes are listed in the order in which they were recorded, last first, and
// that pages lead both ways.
func TestLedgerInPages(t *testing.T) {
	b := setup(t)
	inv := b.Issued("i")
	paid, err := b.Pay("paid", inv, "10.00")
	must.OK(t, err)
	back, err := refund.Input{Amount: "4.00", Date: "2026-11-01"}.Draft(paid)
	must.OK(t, err)
	b.OK(refund.Create.Do(t.Context(), b.Store, b.Intent("back"), back))
	quarter, err := credit.Input{Lines: []credit.LineInput{{Position: 1, Quantity: "0.5"}}}.Draft(inv)
	must.OK(t, err)
	note, err := credit.Create.Do(t.Context(), b.Store, b.Intent("note"), quarter)
	must.OK(t, err)
	b.OK(b.Pay("rest", inv, "69.00"))
	all := []string{
		"payment 6900 2026-11-22 6900 bank_transfer ", "credit 2500 " + note.Value.Date.String() + " 0  " + note.Value.Number,
		"refund -400 2026-11-01 0  ", "payment 1000 2026-11-22 600 bank_transfer ",
	}
	read := func(page record.Page) (shown []string, list record.List[invoice.Posting]) {
		t.Helper()
		page.Limit = 3
		list, err := invoice.Ledger(t.Context(), b.Store.Pool, b.Tenant, inv.ID, page)
		must.OK(t, err)
		for _, p := range list.Rows {
			shown = append(shown, fmt.Sprint(p.Kind, " ", p.Amount, " ", p.Date, " ", p.Left, " ", p.Method, " ", p.Number))
		}
		return shown, list
	}
	first, list := read(record.Page{})
	second, rest := read(record.Page{From: list.After})
	again, _ := read(record.Page{From: rest.Before, Back: true})
	must.Holdf(t, slices.Equal(slices.Concat(first, second), all) && slices.Equal(again, first) && rest.After == (record.Key{}),
		"%q, %q and back %q, want %q", first, second, again, all)
	_, err = invoice.Ledger(t.Context(), b.Store.Pool, b.Tenant, inv.ID, record.Page{Limit: 3, From: record.Key{"", "x"}})
	must.Holdf(t, errors.Is(err, record.ErrKey), "from nowhere: %v", err)
}
