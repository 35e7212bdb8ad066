package writeoffpages_test

import (
	"net/http"
	"testing"

	"onlyonce/internal/invoice/invoicecases"
	"onlyonce/internal/site/sitetest"
)

func TestMain(m *testing.M) { sitetest.Main(m) }

// TestWriteOffTheRest: a small difference is written off, by the open amount that the form suggests. If that has changed since, the form
// asks and keeps what was typed. Taken back on its page, the amount is open again, and the history has both.
func TestWriteOffTheRest(t *testing.T) {
	b := sitetest.Setup(t)
	x := b.Case(invoicecases.WriteOffs(), sitetest.HTML{})
	page := x.Resource.Parent.RecordAt(x.ID)
	b.Page(x.Caller.Get(page)).Says("Record payment", "Write off…")
	p := b.Page(x.Caller.Get(x.Caller.Get(x.Resource.List() + "/new").Location())).Says("Open on 2026-0001: 135.77 EUR.")
	typed := p.Typed()
	paid := invoicecases.Payments()
	paid.Parent.ID = x.ID
	b.Prepared(b.Acme, "meanwhile", paid, sitetest.Change(paid.Command, "amount", "135.74"))

	fresh := b.Page(x.Caller.Get(x.Caller.Get(x.Resource.List() + "/new").Location())).Typed()
	if unpaid, rest := typed.Get("reason"), fresh.Get("reason"); unpaid != "bad_debt" || rest != "small_difference" {
		t.Errorf("the form suggests %s for an unpaid invoice, and %s for the rest of a paid one", unpaid, rest)
	}
	typed.Set("reason", "small_difference")
	typed.Set("note", "Bank charges")
	asked := x.Caller.Submit(x.Resource.List(), typed)
	x.Format.Refused(x, asked, "open-amount-changed", nil)
	p = b.Page(asked).Says("The open amount has changed since you opened this form. Nothing was written off.",
		"Open on 2026-0001: 0.03 EUR.")
	typed.Set("seen_open", "0.03")
	sitetest.Keeps(b, p, typed)
	tooMuch := x.Caller.Submit(x.Resource.List(), typed)
	x.Format.Refused(x, tooMuch, "write-off-exceeds-open", nil)
	p = b.Page(tooMuch).Says("The open amount is 0.03 EUR.", "Enter at most 0.03.")
	sitetest.Keeps(b, p, typed)

	typed.Set("amount", "")
	early := x.Caller.Submit(x.Resource.List(), sitetest.Change(typed, "date", "2026-11-20"))
	early.Want(t, http.StatusUnprocessableEntity)
	sitetest.Keeps(b, b.Page(early).Says("This day is before the date of the invoice."), sitetest.Change(typed, "date", "2026-11-20"))
	made := x.Caller.Submit(x.Resource.List(), typed)
	x.Format.Done(x, made)
	p = b.Page(x.Caller.Get(page)).Says("Paid 135.74 EUR 0.03 written off. Nothing is open.", "Written off 0.03 Open EUR 0.00",
		"Write-off Take back write-off of 0.03 EUR Small difference · Bank charges 0.03 EUR")
	b.Page(x.Caller.Get(x.Resource.Parent.List() + "?status=paid")).Says("2026-0001")
	b.Page(x.Caller.Get("/invoices/"+x.ID+"/payments/new?key=late")).Says("Nothing is open on this invoice.",
		"If it's paid after all, take the write-off back first.")

	path := "/write-offs/" + sitetest.Get[string](b, `SELECT id::text FROM write_offs`) + "/reverse"
	p.LeadsTo(path)
	asks := b.Page(x.Caller.Get(x.Caller.Get(path).Location())).Says("The open amount of the invoice goes up by 0.03 EUR",
		"This is recorded today, 27 Nov 2026.")
	b.Page(x.Caller.Get(x.Caller.Press(asks, "Take back").Location())).
		Says("Write-off taken back. All invoices", "Open 0.03 EUR", "Write-off taken back Small difference · Bank charges −0.03 EUR",
			"Write-off (taken back later) Small difference · Bank charges 0.03 EUR")
	b.Page(x.Caller.Get(page+"/events")).Says("0.03 EUR written off", "Write-off of 0.03 EUR taken back")
}

// TestLargeDifferences: the form asks whether an amount above 1% of the invoice and above 5.00 is a small difference, in one question with
// that about the date. It doesn't ask for another reason, or about an amount that is refused anyway.
func TestLargeDifferences(t *testing.T) {
	b := sitetest.Setup(t)
	person := b.Person(b.Replica, b.Acme)
	for name, c := range map[string]struct{ price, amount, reason, date, says, press string }{
		"at most 5":      {"100.00", "5.00", "small_difference", "2026-11-21", "", ""},
		"at most a part": {"1000.00", "10.12", "small_difference", "2026-11-21", "", ""},
		"bad debt":       {"100.00", "5.01", "bad_debt", "2026-11-21", "", ""},
		"above 5": {
			"100.00", "5.01", "small_difference", "2026-11-21",
			"5.01 EUR is much for a small difference on an invoice of 112.77 EUR. Nothing was saved yet. Change the amount, or confirm it.",
			"Write off this amount",
		},
		"all that is open": {
			"1000.00", "", "small_difference", "2026-11-21",
			"1,012.77 EUR is much for a small difference on an invoice of 1,012.77 EUR.", "Write off this amount",
		},
		"and in the future": {
			"100.00", "5.02", "small_difference", "2026-12-24", "The write-off is dated 24 Dec 2026, which is in the future. " +
				"5.02 EUR is much for a small difference on an invoice of 112.77 EUR.", "Record with this date",
		},
	} {
		off := invoicecases.WriteOffs()
		off.Parent.ID = b.Prepared(b.Acme, name, invoicecases.Invoices(), sitetest.Change(invoicecases.Invoices().Command,
			"line_quantity", "1", "line_unit_price", c.price, "line_tax_rate", "0", "notes", name), "issue").ID
		a := person.Submit(off.List(), sitetest.Change(off.Command, "idempotency_key", "off "+name, "amount", c.amount, "reason", c.reason,
			"date", c.date))
		if c.says != "" {
			a.Want(t, http.StatusConflict, name)
			a = person.Press(b.Page(a).Says(c.says), c.press)
		}
		a.Want(t, http.StatusSeeOther, name)
	}
}
