package invoice_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/credit"
	"onlyonce/internal/invoice/payment"
	"onlyonce/internal/invoice/refund"
	"onlyonce/internal/must"
	"onlyonce/internal/record"
	"onlyonce/internal/value/date"
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
	assert.Thatf(t, slices.Equal(slices.Concat(first, second), all) && slices.Equal(again, first) && rest.After == (record.Key{}),
		"%q, %q and back %q, want %q", first, second, again, all)
	_, err = invoice.Ledger(t.Context(), b.Store.Pool, b.Tenant, inv.ID, record.Page{Limit: 3, From: record.Key{"", "x"}})
	assert.Thatf(t, errors.Is(err, record.ErrKey), "from nowhere: %v", err)
}

// TestPeriods checks that open amounts count in their age on a day, at both ends of each age, and billed and paid amounts in their month.
func TestPeriods(t *testing.T) {
	b := setup(t)
	today, err := date.Parse("2026-11-15")
	must.OK(t, err)
	for key, c := range map[string]struct {
		late     int
		currency string
	}{
		"today": {0, "EUR"}, "yesterday": {1, "EUR"}, "30": {30, "EUR"}, "31": {31, "EUR"}, "60": {60, "EUR"}, "90": {90, "EUR"},
		"91": {91, "EUR"}, "300": {300, "EUR"}, "ahead": {-40, "EUR"}, "other": {31, "PLN"},
	} {
		in := of(winnerEmail)
		in.IssueDate, in.DueDate, in.Currency = "2026-01-01", today.AddDays(-c.late).String(), c.currency
		inv := b.mustCreate(key, draft(t, in))
		b.OK(invoice.Issue.Do(t.Context(), b.Store, b.Of("issue "+key, inv.ID, 0), invoice.IssueDraft{}))
		if key != "other" {
			continue
		}
		paid, err := (payment.Input{Amount: "1.00", Date: "2025-12-31", Method: "cash"}).Draft(inv.ID, inv.Currency)
		if err == nil {
			_, err = payment.Create.Do(t.Context(), b.Store, b.Intent("paid"), paid)
		}
		must.OK(t, err)
	}
	in := of(winnerEmail)
	in.IssueDate = "2026-01-01"
	void := b.mustCreate("void", draft(t, in))
	b.OK(invoice.Issue.Do(t.Context(), b.Store, b.Of("issue void", void.ID, 0), invoice.IssueDraft{}))
	must.OK(t, b.Void("void it", void))
	counts := func(on date.Date) map[string]int {
		found, err := invoice.Periods(t.Context(), b.Store.Pool, b.Tenant, on)
		must.OK(t, err)
		all := map[string]int{}
		for _, p := range found {
			all[p.Kind+" "+p.Currency.String()+" "+p.From.String()] = p.Count
		}
		return all
	}
	want := map[string]int{
		"due EUR 0001-01-01": 2, "due EUR 2026-08-17": 1, "due EUR 2026-09-16": 2, "due EUR 2026-10-16": 2, "due EUR 2026-11-15": 2,
		"due PLN 2026-09-16": 1, "billed EUR 2026-01-01": 10, "billed PLN 2026-01-01": 1, "paid PLN 2025-12-01": 1,
	}
	month, _ := date.Today().Month()
	want["billed EUR "+month.String()] = 0 // of the void
	if got := counts(today); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := counts(today.AddMonths(1)); got["paid PLN 2025-12-01"] != 0 {
		t.Errorf("a month later: %v", got)
	}
}

// TestBilledLessCredited checks that a credit note reduces the billed amount of the month in which it was issued.
func TestBilledLessCredited(t *testing.T) {
	b := setup(t)
	inv := b.Issued("i")
	all := credit.Draft{InvoiceID: inv.ID, All: true, SeenOpen: -1}
	b.OK(credit.Create.Do(t.Context(), b.Store, b.Intent("credit"), all))
	billed := map[string]int64{}
	add := func(day date.Date, amount int64) {
		month, _ := day.Month()
		billed[month.String()] += amount
	}
	add(inv.IssueDate, inv.Total)
	add(date.Today(), -inv.Total)
	for on := range billed {
		day, err := date.Parse(on)
		must.OK(t, err)
		found, err := invoice.Periods(t.Context(), b.Store.Pool, b.Tenant, day)
		must.OK(t, err)
		got := int64(0)
		for _, p := range found {
			if p.Kind == "billed" && p.From == day {
				got = p.Amount.IntPart()
			}
		}
		assert.Thatf(t, got == billed[on], "billed in %s: %d, want %d", on, got, billed[on])
	}
}
