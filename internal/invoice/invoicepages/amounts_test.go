package invoicepages_test

import (
	"net/http"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/invoice/invoicecases"
	"onlyonce/internal/people/peoplecases"
	"onlyonce/internal/site/sitetest"
)

// TestAmountsAsTyped: the amount of a payment or refund is parsed in the usual spellings. Only an ambiguous amount is refused,
// and one with too many decimals, which has no other reading to choose.
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
		p := b.Page(person.Submit(r.List(), sitetest.Change(r.Command, "amount", "5,005", "idempotency_key", sitetest.Key)))
		p.Says("Enter an amount with at most 2 decimals for EUR.")
		assert.Thatf(t, !strings.Contains(p.Text(), "can be"), "%s", p.Text())
		a := person.Submit(r.List(),
			sitetest.Change(r.Command, "amount", "1,03", "provider", "", "reference", "", "idempotency_key", sitetest.Key))
		assert.Equal(t, sitetest.Get[int](b, `SELECT count(*) FROM `+r.Plural()+` WHERE amount = 103`), 1, r.Name, a)
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
	assert.Equal(t, sitetest.Get[string](b, `SELECT max(amount)::text FROM standing_by_the_books()`),
		"18446744073709551614", "the books come to")
}

// TestRatesAsTyped: a tax rate has one reading, in the settings and in the lines of an invoice. A quantity may have two, as buttons.
func TestRatesAsTyped(t *testing.T) {
	b := sitetest.Setup(t)
	person := b.Person(b.Replica, b.Acme)
	a := person.Submit("/settings/edit",
		sitetest.Change(peoplecases.Settings().Command, "tax_rate", "9,975%", "version", "1", "idempotency_key", sitetest.Key))
	assert.Equal(t, sitetest.Get[string](b, `SELECT tax_rate::text FROM settings WHERE tenant_id = $1`, b.Acme.ID), "9.975", a, "the rate")
	command := sitetest.Change(invoicecases.Invoices().Command, "line_tax_rate", "9,975", "idempotency_key", sitetest.Key)
	command["line_quantity"] = []string{"2,5", "2.375"}
	command["line_unit_price"] = []string{"8.00", "16.00"}
	command["line_tax_rate"] = []string{"9,975", "0"}
	p := b.Page(person.Submit("/invoices", command)).Says("“2.375” can be 2375 or 2.3750.", "Use 2375")
	person.Press(p, "Use 2.3750").Want(t, http.StatusSeeOther)
	assert.Equal(t, sitetest.Get[string](b, `SELECT string_agg(quantity::text, ' ' ORDER BY position) FROM invoice_lines`), "2.5 2.375",
		"the quantities")
}

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
		assert.Thatf(t, a.Status == http.StatusOK && strings.Contains(a.Body, want), "%s: %v, want %s", path, a, want)
	}
	a := person.Submit("/settings/edit",
		sitetest.Change(peoplecases.Settings().Command, "currency", "XQZ", "version", "1", "idempotency_key", sitetest.Key))
	b.Page(a).Says("Choose a currency by its three-letter code, like EUR.")
}

// TestWithdrawnCurrencies can be entered for dates when they were in use, and are offered for those only.
func TestWithdrawnCurrencies(t *testing.T) {
	b := sitetest.Setup(t)
	person := b.Person(b.Replica, b.Acme)
	command := sitetest.Change(invoicecases.Invoices().Command, "currency", "BGN", "number", "", "due_date", "")
	offered := func(path string) bool { return strings.Contains(person.Get(path).Body, "BGN") }
	assert.Thatf(t, !offered("/payments") && offered("/payments?from=2026-01-31") && offered("/payments?currency=BGN"), "in the filter")
	assert.Thatf(t, !offered(person.Get("/invoices/new").Location()), "offered for a new invoice")
	for day, want := range map[string]int{"2026-01-31": http.StatusSeeOther, "2026-02-01": http.StatusUnprocessableEntity} {
		a := person.Submit("/invoices", sitetest.Change(command, "issue_date", day, "idempotency_key", "on "+day))
		a.Want(t, want, day)
		if want == http.StatusSeeOther {
			assert.Thatf(t, offered(person.Get(a.Location()+"/edit").Location()), "the form of the invoice lacks its currency")
		}
		if want == http.StatusUnprocessableEntity {
			b.Page(a).Says("BGN was in use until 31 Jan 2026. Choose another currency.")
		}
	}
	for path, of := range map[string]sitetest.Resource{"/settings/edit": peoplecases.Settings(), "/schedules": invoicecases.Schedules()} {
		a := person.Submit(path, sitetest.Change(of.Command, "currency", "BGN", "version", "1", "idempotency_key", sitetest.Key))
		b.Page(a).Says("BGN was in use until 31 Jan 2026.")
	}
}
