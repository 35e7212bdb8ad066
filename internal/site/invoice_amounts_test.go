package site_test

import (
	"net/http"
	"testing"
)

// TestAmountsAsTyped: the amount of a payment and of a refund is understood as people write it, and shown as it was read before anything
// is saved. What can be two numbers is asked about.
func TestAmountsAsTyped(t *testing.T) {
	b := setup(t)
	person := b.person(b.replica, b.acme)
	of := payments()
	of.parent.id = b.prepared(b.acme, "invoice", invoices(), change(invoices().command, "line_unit_price", "1000.00"), "issue").ID
	paid := b.program(b.replica, b.acme).create(of, "payment", change(of.command, "amount", "5.00"))
	back := refunds()
	back.parent.id = decode[created](b, paid).ID
	for _, r := range []resource{of, back} {
		for typed, want := range map[string]string{
			"1.250,00": "“1.250,00” was read as 1250.00. If that is right, save again.", "1.250": "“1.250” can be 1250 or 1.25.",
		} {
			a := person.submit(r.list(), change(r.command, "amount", typed, "idempotency_key", key))
			if a.status != http.StatusUnprocessableEntity {
				t.Errorf("%s: %q is saved unasked: %v", r.name, typed, a)
			}
			b.page(a).says(want)
		}
	}
}

// TestSumsBeyond64Bits: what an ordinary invoice adds to may be more than an int64 holds.
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
}
