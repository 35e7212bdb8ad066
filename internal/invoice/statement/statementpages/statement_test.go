package statementpages_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/invoice/invoicecases"
	"onlyonce/internal/invoice/pdf/pdftest"
	"onlyonce/internal/site/sitetest"
	"onlyonce/internal/value/date"
)

func TestMain(m *testing.M) { sitetest.Main(m) }

// TestStatement checks that the page, the CSV file and the API have the same entries and balances, only for users of the tenant, and that
// the page of the customer leads there.
func TestStatement(t *testing.T) {
	b := sitetest.Setup(t)
	person, program := b.Person(b.Replica, b.Acme), b.Program(b.Replica, b.Acme)
	of := invoicecases.Invoices()
	b.Prepared(b.Acme, "dinar", of, sitetest.Change(of.Command, "currency", "KWD"), "issue")
	first := b.Prepared(b.Acme, "first", of, sitetest.Change(of.Command, "issue_date", "2026-10-31"), "issue").ID
	b.Prepared(b.Acme, "draft", of, of.Command)
	pay := func(key, amount, day string) {
		form := url.Values{"amount": {amount}, "date": {day}, "method": {"cash"}, "idempotency_key": {key}, "reference": {""}}
		person.Submit("/invoices/"+first+"/payments", form).Want(t, http.StatusSeeOther, key)
	}
	pay("one", "35.77", "2026-11-01")
	pay("two", "50", "2026-11-22")
	customer := sitetest.Get[string](b, `SELECT id::text FROM customers`)
	at := "/customers/" + customer + "/statement"
	b.Page(person.Get("/customers/" + customer)).LeadsTo(at)

	const november = "?currency=EUR&from=2026-11-01&to=2026-11-30"
	b.Page(person.Get(at+november)).Says("Balance before 1 Nov 2026 135.77 EUR", "50.00 EUR",
		"1 Nov 2026 Payment 2026-0002 −35.77 100.00", "22 Nov 2026 Payment 2026-0002 −50.00 50.00").LeadsTo("/invoices/" + first)
	b.Page(person.Get(at + "?from=2026-11-01&to=2026-11-30")).LeadsTo(at + strings.Replace(november, "EUR", "KWD", 1))
	const rows = "date,entry,number,due_date,reference,currency,amount,balance\r\n2026-11-01,opening_balance,,,,EUR,,135.77\r\n" +
		"2026-11-01,payment,2026-0002,,,EUR,-35.77,100.00\r\n2026-11-22,payment,2026-0002,,,EUR,-50.00,50.00\r\n" +
		"2026-11-30,closing_balance,,,,EUR,,50.00\r\n"
	a := program.Get("/api/v1" + at + "/csv" + november)
	assert.Equal(t, a.Body, rows, "file")
	type shown struct {
		Opening, Closing string
		Entries          []struct{ Date, Kind, Number, Amount, Balance string }
		NextCursor       string `json:"next_cursor"`
	}
	read := func(query string) shown {
		return sitetest.Decode[shown](b, program.Get("/api/v1"+at+november+query))
	}
	one := read("&limit=1")
	next := read("&limit=1&cursor=" + one.NextCursor)
	assert.Thatf(t, one.Opening == "135.77" && one.Closing == "50.00" && len(one.Entries) == 1 && len(next.Entries) == 1 &&
		next.Entries[0].Amount == "-50.00" && next.Entries[0].Balance == "50.00" && next.NextCursor == "", "%+v, %+v", one, next)
	b.Page(person.Get(at + november + "&limit=1&cursor=" + one.NextCursor)).Says("22 Nov 2026 Payment 2026-0002 −50.00 50.00")
	october := "?currency=EUR&from=2026-10-01&to=2026-10-31"
	b.Page(person.Get(at + october)).Says("31 Oct 2026 Invoice 2026-0002 21 Dec 2026 135.77 135.77").LeadsTo(at + "/pdf" + october)
	for _, file := range []sitetest.Answer{person.Get(at + "/pdf" + october), program.Get("/api/v1" + at + "/pdf" + october)} {
		text := strings.Join(pdftest.Pages(t, []byte(file.Body)), "")
		assert.Thatf(t, strings.Contains(text, "31 Oct 2026  Invoice 2026-0002") && strings.Contains(text, "21 Dec 2026"), "file: %s", text)
	}
	b.Person(b.Replica, b.Globex).Get(at).Want(t, http.StatusNotFound, "another tenant")

	other := sitetest.Decode[struct{ ID string }](b, program.With("Idempotency-Key", "other").
		Post("/api/v1/customers", `{"email": "grace@example.com", "name": "Grace Hopper"}`)).ID
	program.With("Idempotency-Key", "merge").Post("/api/v1/merges", `{"winner_id": "`+other+`", "customers": [{"id": "`+customer+
		`", "version": 1}, {"id": "`+other+`", "version": 1}]}`).Want(t, http.StatusCreated, "merge")
	for _, id := range []string{customer, other} {
		shown := program.Get("/api/v1/customers/" + id + "/statement/csv" + november)
		assert.Equal(t, shown.Body, rows, "after the merge, "+id)
	}

	month, _ := date.Today().Month()
	b.Page(person.Get(at)).Says("Balance before "+month.AddMonths(-2).Display(), "Balance so far", "This month and the two before")
	b.Page(person.Get(at + "?from=2020-01-01&to=2020-01-31")).Says("Balance after 31 Jan 2020 0.00")
	for query, said := range map[string]string{
		"from=2026-11-02&to=2026-11-01":               "The last day must not be before the first day.",
		"from=2026-01-01&to=2027-01-02":               "A period has at most 366 days.",
		"from=2026-01-01&to=2026-02-01&currency=Gold": "Choose one of the currencies.",
	} {
		a := person.Get(at + "?" + query)
		p := b.Page(a).Says(said)
		assert.Thatf(t, a.Status == http.StatusUnprocessableEntity && p.Typed().Get("from") == query[5:15], "%s: %v", query, a)
		program.Get("/api/v1"+at+"?"+query).Want(t, http.StatusUnprocessableEntity, query)
	}
}
