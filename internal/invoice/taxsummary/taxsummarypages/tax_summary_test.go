package taxsummarypages_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/invoice/invoicecases"
	"onlyonce/internal/must"
	"onlyonce/internal/site/sitetest"
	"onlyonce/internal/value/date"
)

func TestMain(m *testing.M) { sitetest.Main(m) }

// TestTaxSummary checks that the page, the CSV file and the API have the same sums, and only those of the tenant.
func TestTaxSummary(t *testing.T) {
	b := sitetest.Setup(t)
	of := invoicecases.Invoices()
	b.Prepared(b.Acme, "euro", of, of.Command, "issue")
	b.Prepared(b.Acme, "dinar", of, sitetest.Change(of.Command, "number", "2", "currency", "KWD"), "issue")
	b.Prepared(b.Acme, "draft", of, sitetest.Change(of.Command, "number", "3"))
	const period = "from=2026-11-01&to=2026-11-30"
	person, program := b.Person(b.Replica, b.Acme), b.Program(b.Replica, b.Acme)
	b.Page(person.Get("/tax-summary?"+period)).Says("1 Nov 2026 – 30 Nov 2026",
		"EUR 6.5% Invoices 11.99 0.78 12.77 6.5% Result 11.99 0.78 12.77 23% Invoices 100.00 23.00 123.00",
		"All rates Invoices 111.99 23.78 135.77",
		"6.5% Invoices 11.985 0.779 12.764").LeadsTo("/tax-summary/csv?" + period)
	const rows = "from,to,currency,tax_rate,tax_treatment,invoices_net,invoices_tax,invoices_gross,credit_notes_net,credit_notes_tax," +
		"credit_notes_gross,voided_net,voided_tax,voided_gross,result_net,result_tax,result_gross\r\n" +
		"2026-11-01,2026-11-30,EUR,6.5,standard,11.99,0.78,12.77,0.00,0.00,0.00,0.00,0.00,0.00,11.99,0.78,12.77\r\n" +
		"2026-11-01,2026-11-30,EUR,23,standard,100.00,23.00,123.00,0.00,0.00,0.00,0.00,0.00,0.00,100.00,23.00,123.00\r\n" +
		"2026-11-01,2026-11-30,KWD,6.5,standard,11.985,0.779,12.764,0.000,0.000,0.000,0.000,0.000,0.000,11.985,0.779,12.764\r\n" +
		"2026-11-01,2026-11-30,KWD,23,standard,100.000,23.000,123.000,0.000,0.000,0.000,0.000,0.000,0.000,100.000,23.000,123.000\r\n"
	if a := program.Get("/api/v1/tax-summary/csv?" + period); a.Body != rows {
		t.Errorf("%v", a)
	}
	a := person.Get("/tax-summary/csv?" + period)
	assert.Thatf(t, a.Body == "\uFEFF"+rows && strings.Contains(a.Header.Get("Content-Disposition"), "2026-11-01"), "%v", a)
	shown := sitetest.Decode[struct {
		Totals []struct {
			Currency string
			Result   struct{ Net, Tax, Gross string }
		}
	}](b, program.Get("/api/v1/tax-summary?"+period))
	assert.Thatf(t, len(shown.Totals) == 2 && shown.Totals[1].Currency == "KWD" && shown.Totals[1].Result.Gross == "135.764", "%+v", shown)
	assert.Equal(t, program.Get("/api/v1/tax-summary/csv?part=eu_sales&"+period).Body, "country,vat_number,customer,kind,net,currency\r\n")
	for key, customer := range map[string]string{
		"Marie": `"email": "marie@example.com", "name": "Marie", "country": "FR", "tax_id": "FR 32 123456789"`,
		"Bob":   `"email": "bob@example.com", "name": "Bob", "country": "US"`,
	} {
		goods := program.With("Idempotency-Key", key).Post("/api/v1/invoices", `{
			"customer": {`+customer+`}, "currency": "EUR", "issue_date": "2026-11-21", "due_date": "2026-12-21",
			"lines": [{
				"description": "Tea", "quantity": "1", "unit_price": "100.00", "tax_rate": "0", "tax_treatment": "intra_community"
			}]}`)
		program.Post(goods.Location()+"/issue", "").Want(t, http.StatusOK)
	}
	p := b.Page(person.Get("/tax-summary?"+period)).Says("EU sales list", "FR32123456789 Marie FR Goods 100.00 EUR",
		"aren't in the EU sales list", "Bob, US: 100.00 EUR")
	p.LeadsTo("/tax-summary/csv?" + period + "&part=eu_sales")
	p.LeadsTo("/invoices?q=Bob")
	a = program.Get("/api/v1/tax-summary/csv?part=eu_sales&" + period)
	assert.Thatf(t, strings.HasSuffix(a.Body, "\r\nFR,FR32123456789,Marie,goods,100.00,EUR\r\n"), "%v", a)
	b.Page(b.Person(b.Replica, b.Globex).Get("/tax-summary?" + period)).Says("No invoices were issued or credited in this period.")
	first, last := date.Today().Month()
	b.Page(person.Get("/tax-summary")).Says(first.Display() + " – " + last.Display())
}

// TestTaxSummaryOfNoPeriod checks that a period that can't be is refused in a sentence, and is still in the form.
func TestTaxSummaryOfNoPeriod(t *testing.T) {
	b := sitetest.Setup(t)
	person, program := b.Person(b.Replica, b.Acme), b.Program(b.Replica, b.Acme)
	for query, said := range map[string]string{
		"from=2026-11-02&to=2026-11-01": "The last day must not be before the first day.",
		"from=2026-01-01&to=2027-01-02": "A period has at most 366 days.",
		"from=2026-01-01":               "Enter the last day too.",
		"to=2026-01-01":                 "Enter the first day too.",
		"from=never&to=2026-01-01":      "Enter a day as year-month-day, like 2026-11-21.",
	} {
		a := person.Get("/tax-summary?" + query)
		typed, _ := url.ParseQuery(query)
		p := b.Page(a).Says(said)
		assert.Thatf(t, a.Status == http.StatusUnprocessableEntity && p.Typed().Get("from") == typed.Get("from"), "%s: %v", query, a)
		for _, path := range []string{"/api/v1/tax-summary?", "/api/v1/tax-summary/csv?"} {
			a := program.Get(path + query)
			assert.Thatf(t, a.Status == http.StatusUnprocessableEntity && strings.Contains(a.Body, said), "%s%s: %v", path, query, a)
		}
	}
	program.Get("/api/v1/tax-summary?from=2026-01-01&to=2027-01-01").Want(t, http.StatusOK, "a year and a day")
}

// TestClosedPeriod checks that the tax summary of a period leads to a form that closes the books through it, after which it is closed, and
// an invoice of it isn't issued.
func TestClosedPeriod(t *testing.T) {
	b := sitetest.Setup(t)
	person, program := b.Person(b.Replica, b.Acme), b.Program(b.Replica, b.Acme)
	const period = "from=2025-10-01&to=2025-10-31"
	const form = "/closings/new?through=2025-10-31"
	b.Page(person.Get("/tax-summary?" + period)).LeadsTo(form)
	p := b.Page(person.Get(person.Get(form).Location()))
	must.Thatf(t, p.Typed().Get("through") == "2025-10-31", "%v", p.Typed())
	person.Submit("/closings", p.Typed()).Want(t, http.StatusSeeOther)
	a := person.Get("/tax-summary?" + period)
	b.Page(a).Says("The books are closed through 31 Oct 2025.")
	assert.Thatf(t, !strings.Contains(a.Body, form), "it can be closed again")
	shown := sitetest.Decode[struct {
		ClosedThrough string `json:"closed_through"`
	}](b, program.Get("/api/v1/tax-summary?"+period))
	assert.Equal(t, shown.ClosedThrough, "2025-10-31")
	of := invoicecases.Invoices()
	draft := b.Prepared(b.Acme, "draft", of, sitetest.Change(of.Command, "issue_date", "2025-10-31", "due_date", "2025-11-30"))
	at := "/invoices/" + draft.ID
	refused := person.Submit(at+"/issue", url.Values{"idempotency_key": {"issue"}, "message": {"Thank you"}})
	b.Page(refused).Says("The books are closed through 31 Oct 2025.", "Change the issue date of the draft, or reopen the books.")
	assert.Equal(t, refused.Status, http.StatusConflict)
	a = program.With("Idempotency-Key", "issue").Post("/api/v1"+at+"/issue", "")
	assert.Thatf(t, a.Status == http.StatusConflict && sitetest.Decode[sitetest.Problem](b, a).Type == "/problems/period-closed", "%v", a)
	closing := sitetest.Get[string](b, `SELECT id::text FROM closings`)
	reopened := person.Submit("/closings/"+closing+"/reopen", url.Values{"idempotency_key": {"reopen"}}).Want(t, http.StatusSeeOther)
	a = person.Get(reopened.Location())
	b.Page(a).Says("Closing through 31 Oct 2025 reopened.")
	assert.Thatf(t, !strings.Contains(a.Body, "Closing C"), "the word is there twice")
	person.Submit(at+"/issue", url.Values{"idempotency_key": {"issue"}, "message": {"Thank you"}}).Want(t, http.StatusSeeOther)
}
