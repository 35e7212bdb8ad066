package invoicepages_test

import (
	"net/http"
	"net/url"
	"path"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/customer/customercases"
	"onlyonce/internal/invoice/invoicecases"
	"onlyonce/internal/must"
	"onlyonce/internal/people/peoplecases"
	"onlyonce/internal/site/sitetest"
)

// TestIssueFreezesParties: a draft shows business and customer as they are now, and an issued invoice as they were when it
// was issued: on its page, in the API, as PDF, as UBL, and on its credit notes.
func TestIssueFreezesParties(t *testing.T) {
	b := sitetest.Setup(t)
	program, person := b.Program(b.Replica, b.Acme), b.Person(b.Replica, b.Acme)
	customer := "/api/v1/customers/" + sitetest.Decode[sitetest.Created](b,
		program.Create(customercases.Customers(), "customer", customercases.Customers().Command)).ID
	bill := sitetest.Change(invoicecases.Invoices().Command, "customer_id", strings.TrimPrefix(customer, "/api/v1/customers/"))
	address := program.Create(invoicecases.Invoices(), sitetest.Key, bill).Location()
	shown := func() map[string]string {
		page := b.Page(person.Get(strings.TrimPrefix(address, "/api/v1")))
		return map[string]string{
			"page": sitetest.Text(sitetest.Elements(page.Root, "article")[0]), "JSON": program.Get(address).Body,
			"PDF": readPDF(b, program.Get(address+"/pdf")), "UBL": program.Get(address + "/ubl").Body,
		}
	}
	rename := func(name string) {
		t.Helper()
		business := program.Create(
			peoplecases.Settings(),
			"business "+name,
			sitetest.Change(peoplecases.Settings().Command, "name", name, "address", name+" Street",
				"country", "FR", "tax_id", "RCS 1", "email", name+"@acme.example", "account_holder", name+" Bank",
				"account_number", "1 "+name, "bic", ""),
		)
		version := program.With("If-Match", program.Get(customer).Header.Get("ETag"))
		buyer := version.Must(
			version.Send(
				t.Context(),
				http.MethodPut,
				customer,
				customercases.Customers().API.Encode(sitetest.Change(customercases.Customers().Command,
					"email", name+"@example.com", "name", "Ada "+name, "address", name+" Square", "country", "PL", "tax_id", "KRS 2",
					"contact", name+" desk", "reference", "PO-"+name)),
			),
		)
		must.Thatf(t, business.Status == http.StatusOK && buyer.Status == http.StatusOK, "%v %v", business, buyer)
	}
	says := func(of map[string]string, name string) {
		t.Helper()
		for where, got := range of {
			for _, want := range []string{
				name + " Street", name + " Bank", "1 " + name, "Ada " + name, name + " Square",
				name + "@example.com", name + "@acme.example", name + " desk", "PO-" + name,
			} {
				assert.Thatf(t, strings.Contains(got, want), "the %s does not say %q:\n%s", where, want, got)
			}
		}
	}

	rename("first")
	draft := shown()
	delete(draft, "UBL") // a draft has none
	says(draft, "first")

	rename("second")
	program.Post(address+"/issue", "").Want(t, http.StatusOK)
	issued, file := shown(), program.Get(address+"/pdf").Body
	says(issued, "second")
	for where, want := range map[string]string{
		"page": "Poland Tax ID KRS 2", "JSON": `"country":"FR","tax_id":"RCS 1"`, "PDF": "France", "UBL": ">KRS 2<",
	} {
		assert.Thatf(t, strings.Contains(issued[where], want), "the %s does not say %q:\n%s", where, want, issued[where])
	}

	rename("third")
	for where, after := range shown() {
		before := issued[where]
		assert.Thatf(t, after == before, "the %s became\n%s\nfrom\n%s", where, after, before)
	}
	assert.Thatf(t, b.Program(b.Serve(), b.Acme).Get(address+"/pdf").Body == file, "the PDF has other bytes")
	note := program.With("Idempotency-Key", "credit").Post(address+"/credit-notes", `{"lines": [{"position": 1, "quantity": "1"}]}`)
	b.Page(person.Get(strings.TrimPrefix(note.Location(), "/api/v1"))).Says(
		"second Street France Tax ID RCS 1 second@acme.example Credit to Ada second",
		"second desk second Square Poland Tax ID KRS 2 Reference PO-second second@example.com")
	assert.Equal(t, sitetest.Get[string](b, `SELECT subject FROM mails`), "Invoice 2026-0001 from second")
	program.With("Idempotency-Key", "rest").Post(address+"/credit-notes", `{}`).Want(t, http.StatusCreated)
	credited := shown()
	assert.Thatf(t, !strings.Contains(credited["page"], "second Bank"), "nothing is open, and it asks for a payment: %s", credited["page"])
	assert.Thatf(t, strings.Contains(credited["PDF"], "second Bank"), "the PDF is another one: %s", credited["PDF"])
}

// TestNewInvoiceBeginsWithSettings: a new form has the currency, the tax rate of the first line, and the terms in words. If the
// customer is known, it has the due date by their terms, and the currency of their last invoice. As long as the due date is that one, also
// in a draft, it follows another issue date.
func TestNewInvoiceBeginsWithSettings(t *testing.T) {
	b := sitetest.Setup(t)
	program, person := b.Program(b.Replica, b.Acme), b.Person(b.Replica, b.Acme)
	program.Create(peoplecases.Settings(), "settings",
		sitetest.Change(peoplecases.Settings().Command, "currency", "USD", "tax_rate", "13.5", "payment_days", "1"))
	id := sitetest.Decode[sitetest.Created](b, program.Create(customercases.Customers(), "customer", customercases.Customers().Command)).ID
	open := func(query string) sitetest.Page {
		return b.Page(person.Get(person.Get("/invoices/new" + query).Location()))
	}

	begins := func(form url.Values, currency, due string) {
		t.Helper()
		for name, want := range map[string]string{"currency": currency, "line_tax_rate": "13.5", "due_date": due} {
			assert.Equal(t, form.Get(name), want, name)
		}
	}
	begins(open("").Says("Leave blank for 1 day after the issue date, or the customer's own terms.").Typed(), "USD", "")
	form := open("?customer=" + id).Says("14 days after the issue date, by the payment terms, and follows both.").Typed()
	begins(form, "USD", sitetest.Today().AddDays(14).String())
	form = sitetest.Change(form, "issue_date", "2026-11-21", "due_date", "", "currency", "GBP", "line_description", "Design",
		"line_unit_price", "1")
	made := person.Submit("/invoices", form).Location()
	b.Page(person.Get(made)).Says("5 Dec 2026", "GBP 1.14")
	begins(open("?customer="+id).Typed(), "USD", sitetest.Today().AddDays(14).String()) // a draft doesn't count
	issued := program.With("Idempotency-Key", "issued").Post("/api/v1/invoices", `{
		"customer_id": "`+id+`", "currency": "GBP", "issue_date": "2026-11-20",
		"lines": [{"description": "Advice", "quantity": "1", "unit_price": "5.00", "tax_rate": "23"}]}`).Location()
	program.Post(issued+"/issue", "").Want(t, http.StatusOK)
	begins(open("?customer="+id).Typed(), "GBP", sitetest.Today().AddDays(14).String())
	begins(open("?copy="+path.Base(made)).Typed(), "GBP", sitetest.Today().AddDays(14).String())

	opened := func() url.Values { return b.Page(person.Get(person.Get(made + "/edit").Location())).Typed() }
	for _, of := range []struct{ change, day, want string }{
		{"issue_date", "2026-11-25", "2026-12-09"}, {"due_date", "2026-12-31", "2026-12-31"}, {"issue_date", "2026-11-26", "2026-12-31"},
		{"due_date", "", "2026-12-10"}, {"issue_date", "2026-11-10", "2026-11-24"},
	} {
		a := person.Submit(made+"/edit", sitetest.Change(opened(), of.change, of.day))
		a.Want(t, http.StatusSeeOther, of.change)
		assert.Equal(t, opened().Get("due_date"), of.want, of)
	}
}

// TestDueDateByTerms: a missing due date follows from the terms of the customer, or else from those of the settings.
func TestDueDateByTerms(t *testing.T) {
	b := sitetest.Setup(t)
	program := b.Program(b.Replica, b.Acme)
	program.Create(peoplecases.Settings(), "settings", sitetest.Change(peoplecases.Settings().Command, "payment_days", "10"))
	program.Create(customercases.Customers(), "customer",
		sitetest.Change(customercases.Customers().Command, "email", "grace@example.com", "payment_days", "0"))
	wantDue := func(a sitetest.Answer, want string) {
		t.Helper()
		assert.Thatf(t, strings.Contains(a.Body, `"due_date":"`+want+`"`), "not due on %s: %v", want, a)
	}
	blank := sitetest.Change(invoicecases.Invoices().Command, "due_date", "")
	made := program.Create(invoicecases.Invoices(), "by the settings", blank)
	wantDue(made, "2026-12-01")
	wantDue(program.Create(invoicecases.Invoices(), "by the customer", sitetest.Change(blank, "customer_email", "grace@example.com")),
		"2026-11-21")
	program.Create(peoplecases.Settings(), "longer", sitetest.Change(peoplecases.Settings().Command, "payment_days", "20"))
	wantDue(program.Create(invoicecases.Invoices(), "by the settings", blank), "2026-12-01") // replayed
	edit := program.With("If-Match", made.Header.Get("ETag"))
	wantDue(
		edit.Must(
			edit.Send(t.Context(), http.MethodPut, made.Location(),
				invoicecases.Invoices().API.Encode(sitetest.Change(blank, "issue_date", "2026-11-22"))),
		),
		"2026-12-12",
	)
	last := program.Create(invoicecases.Invoices(), "last", sitetest.Change(blank, "issue_date", "2099-12-31"))
	assert.Thatf(t, last.Status == http.StatusUnprocessableEntity && strings.Contains(last.Body, "/due_date"),
		"beyond the last year: %v", last)
}

// TestCustomerOfAnInvoiceHasDetails: a program can send details of a new customer. An existing customer stays as it is.
func TestCustomerOfAnInvoiceHasDetails(t *testing.T) {
	b := sitetest.Setup(t)
	program := b.Program(b.Replica, b.Acme)
	details := func(address string) url.Values {
		form := sitetest.Change(invoicecases.Invoices().Command, "due_date", "")
		for name, value := range customercases.Customers().Command {
			form["customer_"+name] = value
		}
		return sitetest.Change(form, "customer_address", address, "customer_country", "gb", "customer_payment_days", "7")
	}
	for _, address := range []string{"1 Quay", "2 Quay"} {
		a := program.Create(invoicecases.Invoices(), address, details(address))
		for _, want := range []string{`"address":"1 Quay","country":"GB","tax_id":"GB123456789"`, `"due_date":"2026-11-28"`} {
			assert.Thatf(t, a.Status == http.StatusCreated && strings.Contains(a.Body, want), "%s: no %s in %v", address, want, a)
		}
	}
	kept := program.Get("/api/v1/customers/" + sitetest.Get[string](b, `SELECT id::text FROM customers`))
	for name, typed := range sitetest.Decode[map[string]any](b,
		sitetest.Answer{Body: customercases.Customers().API.Encode(sitetest.Change(customercases.Customers().Command,
			"address", "1 Quay", "payment_days", "7"))}) {
		assert.Equal(t, sitetest.Decode[map[string]any](b, kept)[name], typed, name)
	}
	wrong := program.Create(invoicecases.Invoices(), "wrong",
		sitetest.Change(details("3 Quay"), "customer_country", "XX", "customer_payment_days", "400"))
	sitetest.JSON{}.Refused(b.Case(invoicecases.Invoices(), sitetest.JSON{}), wrong, "invalid", nil, "/customer/country",
		"/customer/payment_days")
}

// TestCustomerChoice: a form offers the newest customers, and finds every other one that isn't archived: while the user types,
// and without JavaScript by showing the form again, with all typed values. The defaults come from the invoice that was issued last, and the
// form has its number.
func TestCustomerChoice(t *testing.T) {
	b := sitetest.Setup(t)
	person := b.Person(b.Replica, b.Acme)
	for _, of := range []sitetest.Tenant{b.Globex, b.Acme} {
		b.Exec(`
			INSERT INTO customers (tenant_id, id, email, name, address, country, payment_days, archived_at)
			SELECT $1, ('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'old' || n || '@example.com',
				CASE n WHEN 1 THEN 'First' WHEN 2 THEN 'Gone' ELSE 'Old ' || n END,
				E'1 Quay\nPorto', 'PT', 7, CASE n WHEN 2 THEN now() END
			FROM generate_series(1, 250) AS n`, of.ID)
	}
	oldest := sitetest.RowID(1)
	for _, path := range []string{"/invoices/", "/schedules/"} {
		fresh := person.Get(person.Get(path + "new").Location())
		typed := sitetest.Change(b.Page(fresh).Typed(), "search-customer_id", "first", "notes", "Kept", "line_description", "Design")
		again := person.Submit(path+"form", sitetest.Change(typed, "action", "find:customer_id"))
		assert.Thatf(t, !strings.Contains(fresh.Body, oldest) && again.Status == http.StatusOK && strings.Contains(again.Body, oldest),
			"%s: the oldest customer is not found by a search only: %d", path, again.Status)
		if form := b.Page(again).Typed(); form.Get("notes") != "Kept" || form.Get("line_description") != "Design" {
			t.Errorf("%s: what was typed is lost: %v", path, form)
		}
		chosen := person.Submit(path+"form", sitetest.Change(typed, "search-customer_id", "", "customer_id", oldest))
		if form := b.Page(chosen).Says("1 Quay, Porto, Portugal").Typed(); !strings.HasPrefix(form.Get("customer_id"), oldest) {
			t.Errorf("%s: the one who was found is not chosen: %v", path, form)
		}
	}
	b.Exec(`
		WITH last AS (
			INSERT INTO invoices (tenant_id, id, number, customer_id, currency, issue_date, due_date, notes, exemption_reason,
				subtotal, tax_total, total)
			SELECT $1, gen_random_uuid(), number, $2, currency, day::date, '2026-12-31', '', 'Article 132', 1, 0, 1
			FROM (VALUES
				('A-1', 'JPY', '2026-11-21'), ('A-2', 'USD', '2026-11-22'), ('A-3', 'CHF', '2026-11-23'), ('A-4', 'GBP', '2026-11-24')
			) AS these (number, currency, day)
			RETURNING tenant_id, id, number)
		INSERT INTO invoice_lines (tenant_id, invoice_id, position, description, quantity, unit_price, tax_rate, tax_treatment, net)
		SELECT tenant_id, id, 1, 'Course', 1, 1, 0, CASE number WHEN 'A-1' THEN 'exempt' ELSE 'reverse_charge' END, 1 FROM last`,
		b.Acme.ID, oldest)
	b.Exec(`
		UPDATE invoices SET status = 'issued', bill_to = '{}', seller = '{}',
			issued_at = CASE number WHEN 'A-2' THEN now() - interval '1 day' ELSE now() END
		WHERE number <> 'A-4'`)
	b.Exec(`UPDATE invoices SET status = 'void', voided_at = now() WHERE number = 'A-3'`)
	again := b.Page(person.Get(person.Get("/invoices/new?customer=" + oldest).Location())).
		Says("1 Quay, Porto, Portugal · Usual: JPY, Exempt, as on A-1").Typed()
	if again.Get("line_tax_treatment") != "exempt" || again.Get("line_tax_rate") != "0" || again.Get("exemption_reason") != "Article 132" {
		t.Errorf("the next invoice begins with %v", again)
	}
	for search, want := range map[string][]string{
		"first": {oldest, "First · old1@example.com", `data-hint="1 Quay, Porto, Portugal · Usual: JPY, Exempt, as on A-1"`,
			`data-currency="JPY"`, `data-days="7"`,
			`data-treatment="exempt"`, `data-exemption="Article 132"`},
		"old": {"Old 250 ", "Old 231 ", "There are more."}, "": {"Old 250 "}, "gone": {}, "nobody": {},
	} {
		a := person.Get("/invoices/customers?q=" + url.QueryEscape(search))
		for _, text := range want {
			assert.Thatf(t, a.Status == http.StatusOK && strings.Contains(a.Body, text), "%q: no %s in %v", search, text, a)
		}
		n := strings.Count(a.Body, "data-hint=")
		assert.Thatf(t, (len(want) != 0 || n == 0) && n <= 20, "%q: %d customers", search, n)
	}
	kept := person.Get("/invoices/customers?ids=1&id=" + oldest)
	assert.Thatf(t, strings.Count(kept.Body, "<option") == 1 && strings.Contains(kept.Body, "First · "),
		"the customer of a kept form: %v", kept)
	person.Get("/invoices/customers?id="+sitetest.Nobody).Want(t, http.StatusNotFound, "nobody")
	person.Get("/invoices/customers?q="+strings.Repeat("a", 201)).Want(t, http.StatusUnprocessableEntity)
}
