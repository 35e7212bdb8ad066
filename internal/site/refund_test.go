package site_test

import (
	"net/url"
	"testing"

	"onlyonce/internal/invoice/refund"
)

func refunds() resource {
	command := url.Values{"amount": {"10.00"}, "date": {"2026-11-23"}}
	of := payments()
	of.command = change(of.command, "provider", "", "reference", "") // so that several are possible
	of.parent = &parent{resource: invoices(), ready: []string{"issue"}}
	return resource{
		name: "refund", path: "/refunds", parent: &parent{resource: of},
		words: words{verb: "record", past: "recorded"}, command: command, label: "10.00 EUR on 23 Nov 2026",
		leaves:  rows{"refunds": 1, "postings": 1, "intents": 1},
		repeats: repeats{alike: []url.Values{command, command}},
		other:   change(command, "amount", "11.00"),
		fields: []field{
			{"amount", "10.01", "much", "/amount"},
			{"date", "2026-11-24", "tomorrow", "/date"},
		},
		api: api{func(form url.Values) string {
			return encode(map[string]any{"amount": form.Get("amount"), "date": form.Get("date")})
		}, refund.Input{}},
	}
}

// TestLeftOfThePaymentChanged: if the refundable amount has decreased since the form was opened, the form asks again and
// suggests the rest.
func TestLeftOfThePaymentChanged(t *testing.T) {
	b := setup(t)
	x := b.caseRun(refunds(), htmlFormat{})
	p := b.page(x.caller.get(x.caller.get(x.resource.list() + "/new").location())).says("Payment of 40.00 EUR on 22 Nov 2026, for 2026-0001.")
	typed := p.typed()
	if amount := typed.Get("amount"); amount != "40.00" {
		t.Errorf("suggested is %q", amount)
	}
	b.prepared(b.acme, "meanwhile", x.resource, x.other)
	x.before, x.transactions = x.rows(), x.written()
	x.forget()

	typed.Set("amount", "5.00")
	asked := x.caller.submit(x.resource.list(), typed)
	x.format.refused(x, asked, "open-amount-changed", nil)
	p = b.page(asked).says("The refundable amount has changed since you opened this form.", "Refundable: 29.00 EUR")
	typed.Set("seen_left", "29.00")
	keeps(b, p, typed)
	x.wantRows(rows{})

	made := x.caller.press(p, "Record refund")
	x.format.done(x, made)
	b.page(x.caller.get(x.resource.pageOf(""))).says("Paid 24.00 Open EUR 111.77", "Refund 24.00 EUR of it", "Refund −5.00 EUR", "Refund −11.00 EUR")
	x.format.replayed(x, x.caller.press(p, "Record refund"), made) // although the rest has changed again
	x.wantRows(x.leaves)
	x.wantOutcomes("conflict", "created", "replayed")
}
