package invoicepages_test

import (
	"net/http"
	"testing"

	"onlyonce/internal/invoice/invoicecases"
	"onlyonce/internal/must"
	"onlyonce/internal/people/peoplecases"
	"onlyonce/internal/site/sitetest"
)

// TestAmountsAsTyped: the amount of a payment or refund is parsed in the usual spellings. Only an ambiguous amount is refused.
func TestAmountsAsTyped(t *testing.T) {
	b := sitetest.Setup(t)
	person := b.Person(b.Replica, b.Acme)
	of := invoicecases.Payments()
	of.Parent.ID = b.Prepared(b.Acme, "invoice", invoicecases.Invoices(),
		sitetest.Change(invoicecases.Invoices().Command, "line_unit_price", "1000.00"), "issue").ID
	paid := b.Program(b.Replica, b.Acme).Create(of, "payment", sitetest.Change(of.Command, "amount", "5.00"))
	back := invoicecases.Refunds()
	back.Parent.ID = sitetest.Decode[sitetest.Created](b, paid).ID
	for _, r := range []sitetest.Resource{of, back} {
		for _, typed := range []string{"1.250", "1,250"} {
			a := person.Submit(r.List(), sitetest.Change(r.Command, "amount", typed, "idempotency_key", sitetest.Key))
			a.Want(t, http.StatusUnprocessableEntity, r.Name, typed, "saved unasked")
			b.Page(a).Says("“" + typed + "” can be 1250 or 1.25. Enter the one that you mean.")
		}
		a := person.Submit(r.List(),
			sitetest.Change(r.Command, "amount", "1,03", "provider", "", "reference", "", "idempotency_key", sitetest.Key))
		must.Equal(t, sitetest.Get[int](b, `SELECT count(*) FROM `+r.Plural()+` WHERE amount = 103`), 1, r.Name, a)
	}
}

// TestSumsBeyond64Bits: the sums of ordinary invoices may exceed an int64.
func TestSumsBeyond64Bits(t *testing.T) {
	b := sitetest.Setup(t)
	b.Prepared(b.Acme, "first", invoicecases.Invoices(), invoicecases.Invoices().Command, "issue")
	b.Exec(`UPDATE standing SET amount = 9223372036854775807`)
	b.Prepared(b.Acme, "second", invoicecases.Invoices(), sitetest.Change(invoicecases.Invoices().Command, "number", "2"), "issue")
	person := b.Person(b.Replica, b.Acme)
	for _, path := range []string{
		"/home", "/invoices", "/customers", "/customers/" + sitetest.Get[string](b, `SELECT DISTINCT customer_id::text FROM invoices`),
	} {
		b.Page(person.Get(path)).Says("92,233,720,368,547,893.84 EUR")
	}
	b.DB.Spoil(t)
	b.Exec(`
		ALTER TABLE invoices DISABLE TRIGGER USER;
		UPDATE invoices SET subtotal = 9223372036854775807, tax_total = 0, total = 9223372036854775807`)
	must.Equal(t, sitetest.Get[string](b, `SELECT max(amount)::text FROM standing_by_the_books()`),
		"18446744073709551614", "the books come to")
}

// TestRatesAsTyped: a tax rate has one reading, in the settings and in the lines of an invoice.
func TestRatesAsTyped(t *testing.T) {
	b := sitetest.Setup(t)
	person := b.Person(b.Replica, b.Acme)
	a := person.Submit("/settings/edit",
		sitetest.Change(peoplecases.Settings().Command, "tax_rate", "9,975%", "version", "1", "idempotency_key", sitetest.Key))
	must.Equal(t, sitetest.Get[string](b, `SELECT tax_rate::text FROM settings WHERE tenant_id = $1`, b.Acme.ID), "9.975", a, "the rate")
	a = person.Submit("/invoices",
		sitetest.Change(invoicecases.Invoices().Command, "line_tax_rate", "9,975", "line_quantity", "2,5", "idempotency_key", sitetest.Key))
	a.Want(t, http.StatusSeeOther)
}
