package site_test

import (
	"net/http"
	"testing"
)

// TestAmountsAsTyped: the amount of a payment or refund is parsed in the usual spellings. Only an ambiguous amount is refused.
func TestAmountsAsTyped(t *testing.T) {
	b := setup(t)
	person := b.person(b.replica, b.acme)
	of := payments()
	of.parent.id = b.prepared(b.acme, "invoice", invoices(), change(invoices().command, "line_unit_price", "1000.00"), "issue").ID
	paid := b.program(b.replica, b.acme).create(of, "payment", change(of.command, "amount", "5.00"))
	back := refunds()
	back.parent.id = decode[created](b, paid).ID
	for _, r := range []resource{of, back} {
		for _, typed := range []string{"1.250", "1,250"} {
			a := person.submit(r.list(), change(r.command, "amount", typed, "idempotency_key", key))
			if a.status != http.StatusUnprocessableEntity {
				t.Errorf("%s: %q is saved unasked: %v", r.name, typed, a)
			}
			b.page(a).says("“" + typed + "” can be 1250 or 1.25. Enter the one that you mean.")
		}
		a := person.submit(r.list(), change(r.command, "amount", "1,03", "provider", "", "reference", "", "idempotency_key", key))
		if n := get[int](b, `SELECT count(*) FROM `+r.plural()+` WHERE amount = 103`); n != 1 {
			t.Errorf("%d %ss of 1.03: %v", n, r.name, a)
		}
	}
}

// TestSumsBeyond64Bits: the sums of ordinary invoices may exceed an int64.
func TestSumsBeyond64Bits(t *testing.T) {
	b := setup(t)
	b.prepared(b.acme, "first", invoices(), invoices().command, "issue")
	b.exec(`UPDATE standing SET amount = 9223372036854775807`)
	b.prepared(b.acme, "second", invoices(), change(invoices().command, "number", "2"), "issue")
	person := b.person(b.replica, b.acme)
	for _, path := range []string{
		"/home", "/invoices", "/customers", "/customers/" + get[string](b, `SELECT DISTINCT customer_id::text FROM invoices`),
	} {
		b.page(person.get(path)).says("92,233,720,368,547,893.84 EUR")
	}
	b.db.Spoil(t)
	b.exec(`
		ALTER TABLE invoices DISABLE TRIGGER USER;
		UPDATE invoices SET subtotal = 9223372036854775807, tax_total = 0, total = 9223372036854775807`)
	if sum := get[string](b, `SELECT max(amount)::text FROM standing_by_the_books()`); sum != "18446744073709551614" {
		t.Errorf("the books come to %s", sum)
	}
}

// TestRatesAsTyped: a tax rate has one reading, in the settings and in the lines of an invoice.
func TestRatesAsTyped(t *testing.T) {
	b := setup(t)
	person := b.person(b.replica, b.acme)
	a := person.submit("/settings/edit", change(settings().command, "tax_rate", "9,975%", "version", "1", "idempotency_key", key))
	if rate := get[string](b, `SELECT tax_rate::text FROM settings WHERE tenant_id = $1`, b.acme.id); rate != "9.975" {
		t.Errorf("the rate is %s: %v", rate, a)
	}
	a = person.submit("/invoices", change(invoices().command, "line_tax_rate", "9,975", "line_quantity", "2,5", "idempotency_key", key))
	if a.status != http.StatusSeeOther {
		t.Error(a)
	}
}
