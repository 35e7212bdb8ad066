package invoicepages_test

import (
	"testing"

	"onlyonce/internal/invoice/invoicecases"
	"onlyonce/internal/must"
	"onlyonce/internal/site/sitetest"
)

// TestLeftOfThePaymentChanged: if the refundable amount has decreased since the form was opened, the form asks again and
// suggests the rest.
func TestLeftOfThePaymentChanged(t *testing.T) {
	b := sitetest.Setup(t)
	x := b.Case(invoicecases.Refunds(), sitetest.HTML{})
	p := b.Page(x.Caller.Get(x.Caller.Get(x.Resource.List() + "/new").Location())).
		Says("Payment of 40.00 EUR on 22 Nov 2026, for 2026-0001.")
	typed := p.Typed()
	must.Equal(t, typed.Get("amount"), "40.00", "suggested")
	b.Prepared(b.Acme, "meanwhile", x.Resource, x.Other)
	x.Before, x.Transactions = x.Rows(), x.Written()
	x.Forget()

	typed.Set("amount", "5.00")
	asked := x.Caller.Submit(x.Resource.List(), typed)
	x.Format.Refused(x, asked, "open-amount-changed", nil)
	p = b.Page(asked).Says("The refundable amount has changed since you opened this form.", "Refundable: 29.00 EUR")
	typed.Set("seen_left", "29.00")
	sitetest.Keeps(b, p, typed)
	x.WantRows(sitetest.Rows{})

	made := x.Caller.Press(p, "Record refund")
	x.Format.Done(x, made)
	b.Page(x.Caller.Get(x.Resource.PageOf(""))).
		Says("Paid 24.00 Open EUR 111.77", "Refund 24.00 EUR of it", "Refund −5.00 EUR", "Refund −11.00 EUR")
	x.Format.Replayed(x, x.Caller.Press(p, "Record refund"), made) // although the rest has changed again
	x.WantRows(x.Leaves)
	x.WantOutcomes("conflict", "created", "replayed")
}
