package site_test

import (
	"net/http"
	"strings"
	"testing"
)

// TestStoredValuesStayReadable: a stored currency or country that is no longer in any list is shown, listed, found and exported
// unchanged.
func TestStoredValuesStayReadable(t *testing.T) {
	b := setup(t)
	program, person := b.program(b.replica, b.acme), b.person(b.replica, b.acme)
	made := b.prepared(b.acme, "schedule", schedules(), schedules().command)
	inv := b.prepared(b.acme, "invoice", invoices(), change(invoices().command, "line_unit_price", "1234.56", "customer_id", ""))
	b.exec(`UPDATE invoices SET currency = 'XQZ'`)
	b.exec(`UPDATE schedules SET currency = 'XQZ'`)
	b.exec(`UPDATE settings SET currency = 'XQZ', country = 'QZ'`)
	b.exec(`UPDATE customers SET country = 'QZ'`)
	if a := program.with("Idempotency-Key", "issue").post("/api/v1/invoices/"+inv.ID+"/issue", ""); a.status != http.StatusOK {
		t.Fatalf("%v", a)
	}
	pay := payments()
	pay.parent.id = inv.ID
	paid := program.create(pay, "payment", change(pay.command, "amount", "5.00"))
	if paid.status != http.StatusCreated {
		t.Fatalf("%v", paid)
	}
	customer := get[string](b, `SELECT customer_id FROM invoices`)
	at := "/invoices/" + inv.ID
	for path, want := range map[string]string{
		at: "XQZ", at + "/pdf": "%PDF", "/invoices": "XQZ", "/invoices?sort=total": "XQZ", "/home": "XQZ", "/payments?currency=XQZ": "5.00",
		"/schedules": "XQZ", "/schedules/" + made.ID: "XQZ", "/schedules/" + made.ID + "/edit": `selected>XQZ<`, "/settings": "QZ",
		"/settings/edit": `value="XQZ" selected`, "/customers/" + customer: "QZ", "/customers/" + customer + "/edit": `value="QZ" selected`,
		"/invoices/new?customer=" + customer: `selected>XQZ<`, "/invoices/customers?q=" + customer[:1]: "",
		"/api/v1" + at: `"currency":"XQZ"`, "/api/v1" + at + "/ubl": `currencyID="XQZ"`, "/api/v1/invoices": "XQZ",
		"/api/v1/settings": "XQZ", "/api/v1/schedules": "XQZ", "/api/v1/payments?currency=XQZ": "XQZ", "/api/v1/customers": "QZ",
	} {
		caller := person
		if strings.HasPrefix(path, "/api/") {
			caller = program
		}
		a := caller.get(path)
		if a.status == http.StatusSeeOther {
			a = caller.get(a.location())
		}
		if a.status != http.StatusOK || !strings.Contains(a.body, want) {
			t.Errorf("%s: %v, want %s", path, a, want)
		}
	}
	a := person.submit("/settings/edit", change(settings().command, "currency", "XQZ", "version", "1", "idempotency_key", key))
	b.page(a).says("Choose a currency by its three-letter code, like EUR.")
}

// TestWithdrawnCurrencies can be entered for dates when they were in use.
func TestWithdrawnCurrencies(t *testing.T) {
	b := setup(t)
	person := b.person(b.replica, b.acme)
	command := change(invoices().command, "currency", "BGN", "number", "", "due_date", "")
	for day, want := range map[string]int{"2026-01-31": http.StatusSeeOther, "2026-02-01": http.StatusUnprocessableEntity} {
		a := person.submit("/invoices", change(command, "issue_date", day, "idempotency_key", "on "+day))
		if a.status != want {
			t.Errorf("on %s: %v, want %d", day, a, want)
		}
		if want == http.StatusUnprocessableEntity {
			b.page(a).says("BGN was in use until 31 Jan 2026. Choose another currency.")
		}
	}
	for path, of := range map[string]resource{"/settings/edit": settings(), "/schedules": schedules()} {
		a := person.submit(path, change(of.command, "currency", "BGN", "version", "1", "idempotency_key", key))
		b.page(a).says("BGN was in use until 31 Jan 2026.")
	}
}
