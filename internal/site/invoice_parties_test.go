package site_test

import (
	"net/http"
	"net/url"
	"path"
	"strings"
	"testing"
)

// TestIssueFreezesParties: a draft shows business and customer as they are now, and an issued invoice as they were when it
// was issued: on its page, in the API, as PDF, as UBL, and on its credit notes.
func TestIssueFreezesParties(t *testing.T) {
	b := setup(t)
	program, person := b.program(b.replica, b.acme), b.person(b.replica, b.acme)
	customer := "/api/v1/customers/" + decode[created](b, program.create(customers(), "customer", customers().command)).ID
	bill := change(invoices().command, "customer_id", strings.TrimPrefix(customer, "/api/v1/customers/"))
	address := program.create(invoices(), key, bill).location()
	shown := func() map[string]string {
		page := b.page(person.get(strings.TrimPrefix(address, "/api/v1")))
		return map[string]string{
			"page": text(all(page.root, "article")[0]), "JSON": program.get(address).body,
			"PDF": b.readPDF(program.get(address + "/pdf")), "UBL": program.get(address + "/ubl").body,
		}
	}
	rename := func(name string) {
		t.Helper()
		business := program.create(settings(), "business "+name, change(settings().command, "name", name, "address", name+" Street",
			"country", "FR", "tax_id", "FR 1", "email", name+"@acme.example", "account_holder", name+" Bank",
			"account_number", "1 "+name, "bic", ""))
		version := program.with("If-Match", program.get(customer).header.Get("ETag"))
		buyer := version.must(version.send(t.Context(), http.MethodPut, customer, customers().api.encode(change(customers().command,
			"email", name+"@example.com", "name", "Ada "+name, "address", name+" Square", "country", "PL", "tax_id", "PL 2"))))
		if business.status != http.StatusOK || buyer.status != http.StatusOK {
			t.Fatal(business, buyer)
		}
	}
	says := func(of map[string]string, name string) {
		t.Helper()
		for where, got := range of {
			for _, want := range []string{
				name + " Street", name + " Bank", "1 " + name, "Ada " + name, name + " Square",
				name + "@example.com", name + "@acme.example",
			} {
				if !strings.Contains(got, want) {
					t.Errorf("the %s does not say %q:\n%s", where, want, got)
				}
			}
		}
	}

	rename("first")
	draft := shown()
	delete(draft, "UBL") // a draft has none
	says(draft, "first")

	rename("second")
	if a := program.post(address+"/issue", ""); a.status != http.StatusOK {
		t.Fatal(a)
	}
	issued, file := shown(), program.get(address+"/pdf").body
	says(issued, "second")
	for where, want := range map[string]string{
		"page": "Poland Tax ID PL 2", "JSON": `"country":"FR","tax_id":"FR 1"`, "PDF": "France", "UBL": ">PL 2<",
	} {
		if !strings.Contains(issued[where], want) {
			t.Errorf("the %s does not say %q:\n%s", where, want, issued[where])
		}
	}

	rename("third")
	for where, after := range shown() {
		if before := issued[where]; after != before {
			t.Errorf("the %s became\n%s\nfrom\n%s", where, after, before)
		}
	}
	if b.program(b.serve(), b.acme).get(address+"/pdf").body != file {
		t.Error("the PDF has other bytes")
	}
	note := program.with("Idempotency-Key", "credit").post(address+"/credit-notes", `{"lines": [{"position": 1, "quantity": "1"}]}`)
	b.page(person.get(strings.TrimPrefix(note.location(), "/api/v1"))).says(
		"second Street France Tax ID FR 1 second@acme.example Credit to Ada second", "second Square Poland Tax ID PL 2 second@example.com")
	if subject := get[string](b, `SELECT subject FROM mails`); subject != "Invoice 2026-0001 from second" {
		t.Error(subject)
	}
}

// TestNewInvoiceBeginsWithSettings: a new form has the currency, the tax rate of the first line, and the terms in words. If the
// customer is known, it has the due date by their terms, and the currency of their last invoice.
func TestNewInvoiceBeginsWithSettings(t *testing.T) {
	b := setup(t)
	program, person := b.program(b.replica, b.acme), b.person(b.replica, b.acme)
	program.create(settings(), "settings", change(settings().command, "currency", "USD", "tax_rate", "13.5", "payment_days", "1"))
	id := decode[created](b, program.create(customers(), "customer", customers().command)).ID
	open := func(query string) page { return b.page(person.get(person.get("/invoices/new" + query).location())) }

	begins := func(form url.Values, currency, due string) {
		t.Helper()
		for name, want := range map[string]string{"currency": currency, "line_tax_rate": "13.5", "due_date": due} {
			if got := form.Get(name); got != want {
				t.Errorf("%s is %q, want %q", name, got, want)
			}
		}
	}
	begins(open("").says("Leave blank for 1 day after the issue date, or the customer's own terms.").typed(), "USD", "")
	form := open("?customer=" + id).says("Leave blank for 14 days after the issue date.").typed()
	begins(form, "USD", day(14))
	form = change(form, "issue_date", "2026-11-21", "due_date", "", "currency", "GBP", "line_description", "Design", "line_unit_price", "1")
	made := person.submit("/invoices", form).location()
	b.page(person.get(made)).says("5 Dec 2026", "GBP 1.14")
	begins(open("?customer="+id).typed(), "GBP", day(14))
	begins(open("?copy="+path.Base(made)).typed(), "GBP", day(14))
}

// TestDueDateByTerms: a missing due date follows from the terms of the customer, or else from those of the settings.
func TestDueDateByTerms(t *testing.T) {
	b := setup(t)
	program := b.program(b.replica, b.acme)
	program.create(settings(), "settings", change(settings().command, "payment_days", "10"))
	program.create(customers(), "customer", change(customers().command, "email", "grace@example.com", "payment_days", "0"))
	wantDue := func(a answer, want string) {
		t.Helper()
		if !strings.Contains(a.body, `"due_date":"`+want+`"`) {
			t.Errorf("not due on %s: %v", want, a)
		}
	}
	blank := change(invoices().command, "due_date", "")
	made := program.create(invoices(), "by the settings", blank)
	wantDue(made, "2026-12-01")
	wantDue(program.create(invoices(), "by the customer", change(blank, "customer_email", "grace@example.com")), "2026-11-21")
	program.create(settings(), "longer", change(settings().command, "payment_days", "20"))
	wantDue(program.create(invoices(), "by the settings", blank), "2026-12-01") // replayed
	edit := program.with("If-Match", made.header.Get("ETag"))
	wantDue(edit.must(edit.send(t.Context(), http.MethodPut, made.location(), invoices().api.encode(change(blank, "issue_date", "2026-11-22")))),
		"2026-12-12")
	last := program.create(invoices(), "last", change(blank, "issue_date", "2099-12-31"))
	if last.status != http.StatusUnprocessableEntity || !strings.Contains(last.body, "/due_date") {
		t.Errorf("beyond the last year: %v", last)
	}
}

// TestCustomerOfAnInvoiceHasDetails: a program can send details of a new customer. An existing customer stays as it is.
func TestCustomerOfAnInvoiceHasDetails(t *testing.T) {
	b := setup(t)
	program := b.program(b.replica, b.acme)
	details := func(address string) url.Values {
		form := change(invoices().command, "due_date", "")
		for name, value := range customers().command {
			form["customer_"+name] = value
		}
		return change(form, "customer_address", address, "customer_country", "gb", "customer_payment_days", "7")
	}
	for _, address := range []string{"1 Quay", "2 Quay"} {
		a := program.create(invoices(), address, details(address))
		for _, want := range []string{`"address":"1 Quay","country":"GB","tax_id":"GB123456789"`, `"due_date":"2026-11-28"`} {
			if a.status != http.StatusCreated || !strings.Contains(a.body, want) {
				t.Errorf("%s: no %s in %v", address, want, a)
			}
		}
	}
	kept := program.get("/api/v1/customers/" + get[string](b, `SELECT id::text FROM customers`))
	for name, typed := range decode[map[string]any](b, answer{body: customers().api.encode(change(customers().command,
		"address", "1 Quay", "payment_days", "7"))}) {
		if stored := decode[map[string]any](b, kept)[name]; stored != typed {
			t.Errorf("the new customer has %v as %s, and the invoice came with %v", stored, name, typed)
		}
	}
	wrong := program.create(invoices(), "wrong", change(details("3 Quay"), "customer_country", "XX", "customer_payment_days", "400"))
	jsonFormat{}.refused(b.caseRun(invoices(), jsonFormat{}), wrong, "invalid", nil, "/customer/country", "/customer/payment_days")
}

// TestCustomersOfAnotherTenantMeanNothing: a customer that was selected as acme doesn't exist for globex, and isn't read.
func TestCustomersOfAnotherTenantMeanNothing(t *testing.T) {
	b, of := setupSecrets(t)
	x := b.caseRun(invoices(), htmlFormat{})
	form := change(x.opened(), "customer_id", of.customer)
	x.caller.logIn(b.globex, password)
	before := b.rows()
	first := x.caller.submit(x.resource.list(), form)
	second := x.caller.press(b.page(first), "Create it for Globex")
	b.page(second).says("This customer doesn't exist. Choose another one.")
	for _, a := range []answer{first, second} {
		for _, secret := range secrets {
			if strings.Contains(a.body, secret) {
				t.Errorf("has %q: %v", secret, a)
			}
		}
	}
	if after := b.rows(); !after.equal(before) {
		t.Errorf("rows %+v before and %+v after", before, after)
	}
}
