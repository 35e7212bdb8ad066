package invoicepages_test

import (
	"net/http"
	"strings"
	"testing"

	"onlyonce/internal/invoice/invoicecases"
	"onlyonce/internal/must"
	"onlyonce/internal/people/peoplecases"
	"onlyonce/internal/site/sitetest"
)

// TestStoredValuesStayReadable: a stored currency or country that is no longer in any list is shown, listed, found and exported
// unchanged.
func TestStoredValuesStayReadable(t *testing.T) {
	b := sitetest.Setup(t)
	program, person := b.Program(b.Replica, b.Acme), b.Person(b.Replica, b.Acme)
	made := b.Prepared(b.Acme, "schedule", invoicecases.Schedules(), invoicecases.Schedules().Command)
	inv := b.Prepared(b.Acme, "invoice", invoicecases.Invoices(),
		sitetest.Change(invoicecases.Invoices().Command, "line_unit_price", "1234.56", "customer_id", ""))
	b.Exec(`UPDATE invoices SET currency = 'XQZ'`)
	b.Exec(`UPDATE schedules SET currency = 'XQZ'`)
	b.Exec(`UPDATE settings SET currency = 'XQZ', country = 'QZ', tax_id = '1'`)
	b.Exec(`UPDATE customers SET country = 'QZ'`)
	program.With("Idempotency-Key", "issue").Post("/api/v1/invoices/"+inv.ID+"/issue", "").Want(t, http.StatusOK)
	pay := invoicecases.Payments()
	pay.Parent.ID = inv.ID
	paid := program.Create(pay, "payment", sitetest.Change(pay.Command, "amount", "5.00"))
	paid.Want(t, http.StatusCreated)
	customer := sitetest.Get[string](b, `SELECT customer_id FROM invoices`)
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
		a := caller.Get(path)
		if a.Status == http.StatusSeeOther {
			a = caller.Get(a.Location())
		}
		must.Holdf(t, a.Status == http.StatusOK && strings.Contains(a.Body, want), "%s: %v, want %s", path, a, want)
	}
	a := person.Submit("/settings/edit",
		sitetest.Change(peoplecases.Settings().Command, "currency", "XQZ", "version", "1", "idempotency_key", sitetest.Key))
	b.Page(a).Says("Choose a currency by its three-letter code, like EUR.")
}

// TestWithdrawnCurrencies can be entered for dates when they were in use.
func TestWithdrawnCurrencies(t *testing.T) {
	b := sitetest.Setup(t)
	person := b.Person(b.Replica, b.Acme)
	command := sitetest.Change(invoicecases.Invoices().Command, "currency", "BGN", "number", "", "due_date", "")
	for day, want := range map[string]int{"2026-01-31": http.StatusSeeOther, "2026-02-01": http.StatusUnprocessableEntity} {
		a := person.Submit("/invoices", sitetest.Change(command, "issue_date", day, "idempotency_key", "on "+day))
		a.Want(t, want, day)
		if want == http.StatusUnprocessableEntity {
			b.Page(a).Says("BGN was in use until 31 Jan 2026. Choose another currency.")
		}
	}
	for path, of := range map[string]sitetest.Resource{"/settings/edit": peoplecases.Settings(), "/schedules": invoicecases.Schedules()} {
		a := person.Submit(path, sitetest.Change(of.Command, "currency", "BGN", "version", "1", "idempotency_key", sitetest.Key))
		b.Page(a).Says("BGN was in use until 31 Jan 2026.")
	}
}
