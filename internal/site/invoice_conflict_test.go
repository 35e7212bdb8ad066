package site_test

import (
	"fmt"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"testing"
)

// forInvoices returns the caller of a format with one invoice that has a typed number.
func forInvoices(b *bundle, f format) (x *caseRun, first answer) {
	b.Helper()
	x = b.caseRun(invoices(), f)
	x.command = change(x.command, "number", "2026-0007", "answer_series", "keep")
	x.label = "2026-0007"
	first = x.ask(x.command)
	x.format.done(x, first)
	return x, first
}

// TestNumberTakenHTML: one button uses the next number, under the same key; also in the form of a draft, where a blank field
// keeps its number. The case "unique value taken" covers the rest.
func TestNumberTakenHTML(t *testing.T) {
	x, _ := forInvoices(setup(t), htmlFormat{})
	draft := x.prepared(x.acme, "draft", x.resource, change(x.command, "number", "R-1")).ID
	x.forget()
	for path, command := range map[string]url.Values{
		x.resource.list():              change(x.other, "number", "2026-0007", "idempotency_key", "another"),
		"/invoices/" + draft + "/edit": change(x.command, "idempotency_key", "an edit", "version", "1"),
	} {
		p := x.page(x.caller.submit(path, command)).says("Invoice number 2026-0007 already exists.")
		if p.control("number", "aria-describedby") != "number-error number-hint" {
			t.Error("the number does not say why it is wrong")
		}
		next := "2026-0001"
		if get[int](x.bundle, `SELECT count(*) FROM invoices WHERE number = $1`, next) > 0 {
			next = "2026-0002"
		}
		saved := x.caller.press(p, "Use the next number, "+next)
		x.page(x.caller.get(saved.location())).says("Invoice " + next)
		if n := get[int](x.bundle, `
			SELECT count(*) FROM intents o JOIN invoices i ON i.id = record_id WHERE o.key = $1 AND number = $2`,
			command.Get("idempotency_key"), next); n != 1 {
			t.Error("the key was not kept")
		}
	}
	x.wantOutcomes("created", "conflict", "conflict", "changed")
}

// TestNumberTakenJSON: the problem document has the next number.
func TestNumberTakenJSON(t *testing.T) {
	x, _ := forInvoices(setup(t), jsonFormat{})
	refused := x.under("another", change(x.other, "number", "2026-0007"))
	p := decode[problem](x.bundle, refused)
	if p.NextNumber != "2026-0001" || !strings.Contains(p.Detail, "2026-0007 already exists") {
		t.Errorf("%v", refused)
	}
}

// TestNumberOfAnotherYear is no conflict: numbers are unique in a year of issue.
func TestNumberOfAnotherYear(t *testing.T) {
	x, _ := forInvoices(setup(t), jsonFormat{})
	send := func(key, number string) answer {
		next := change(x.other, "number", number, "issue_date", "2027-01-01", "due_date", "2027-01-01")
		return x.under(key, next)
	}
	next := change(x.other, "number", "R-7")
	for _, a := range []answer{send("one", "R-7"), x.under("two", next)} {
		if a.status != http.StatusCreated {
			t.Errorf("%v", a)
		}
	}

	// A number in another year's format could be allocated again in that year.
	refused := send("three", "2026-0007")
	p := decode[problem](x.bundle, refused)
	if refused.status != http.StatusUnprocessableEntity || len(p.Errors) != 1 || p.Errors[0].Pointer != "/number" ||
		!strings.Contains(p.Errors[0].Detail, "2026-0007 is a number of 2026, and this invoice is issued in 2027.") {
		t.Errorf("%v", refused)
	}
	if a := send("three", ""); a.status != http.StatusCreated {
		t.Errorf("the key was used up: %v", a)
	}
}

// TestNumberIsSuggestedAndNotSent: an untouched suggestion means the next number at the time of the request.
func TestNumberIsSuggestedAndNotSent(t *testing.T) {
	b := setup(t)
	x := b.caseRun(invoices(), htmlFormat{})
	p := b.page(x.caller.get(x.caller.get("/invoices/new").location())).says("Leave blank for the next number, " + thisYear(1) + ".")
	if typed := p.typed(); typed.Get("number") != "" {
		t.Errorf("the form has the number %q", typed.Get("number"))
	}
	if suggested := p.control("number", "placeholder"); suggested != thisYear(1) {
		t.Errorf("%q is suggested", suggested)
	}
	x.under("meanwhile", change(x.other, "number", thisYear(1),
		"issue_date", today().String(), "due_date", "2099-01-01"))
	made := x.caller.submit("/invoices", change(p.typed(), "customer_email", "ada@example.com", "customer_name", "Ada Lovelace",
		"line_description", "Design", "line_unit_price", "50.00", "line_tax_rate", "0"))
	b.page(x.caller.get(made.location())).says("Invoice " + thisYear(2) + " created")
}

func thisYear(n int) string { return fmt.Sprintf("%d-%04d", today().Year(), n) }

// TestCreateAsNewIsOneClick: the button that creates a new invoice needs no second confirmation, neither for a number other
// than the form's nor for a likely repeat.
func TestCreateAsNewIsOneClick(t *testing.T) {
	x, first := forInvoices(setup(t), htmlFormat{})
	other := change(x.command, "notes", "One more", "number", "2026\u20110007")
	spent := x.under(key, other)
	if spent.status != http.StatusUnprocessableEntity {
		t.Fatal(spent)
	}
	p := x.page(spent).says("This form already created 2026-0007.")
	keeps(x.bundle, p, map[string][]string{"number": {"2026\u20110007"}, "notes": {"One more"}})
	x.label = "2026-0001"
	second := x.caller.press(p, "Create as a new invoice")
	x.format.done(x, second)
	x.format.replayed(x, x.caller.press(p, "Create as a new invoice"), second)
	if second.location() == first.location() {
		t.Error("it is the first one")
	}
}

// TestCopyAsNew: a copy has a new key, and is not questioned as a likely repeat.
func TestCopyAsNew(t *testing.T) {
	b := setup(t)
	x := b.caseRun(invoices(), htmlFormat{})
	first := x.ask(x.command)
	opened := x.caller.get("/invoices/new?copy=" + path.Base(first.location()))
	if opened.status != http.StatusSeeOther {
		t.Fatal(opened)
	}
	p := b.page(x.caller.get(opened.location()))
	typed := p.typed()
	for _, name := range []string{"line_description", "line_quantity", "line_unit_price", "line_tax_rate", "currency", "notes"} {
		keeps(b, p, map[string][]string{name: x.command[name]})
	}
	if typed.Get("idempotency_key") == key || typed.Get("customer_id") == "" {
		t.Errorf("the form has %v", typed)
	}
	copied := x.caller.press(p, "Create invoice")
	if copied.status != http.StatusSeeOther || copied.location() == first.location() {
		t.Fatalf("no copy: %v", copied)
	}
	x.format.replayed(x, x.caller.press(p, "Create invoice"), copied)
	x.caller.get(copied.location())
	b.wantOutcomes("created", "created", "replayed")
}

// TestNoTaxRateByDefault: no invoice is free of tax because the user overlooked the field.
func TestNoTaxRateByDefault(t *testing.T) {
	b := setup(t)
	person := b.person(b.replica, b.acme)
	p := b.page(person.get(person.get("/invoices/new").location()))
	form := p.typed()
	if rate := form["line_tax_rate"]; len(rate) != 1 || rate[0] != "" {
		t.Fatalf("a new line has the tax rate %q", rate)
	}
	form = change(form, "customer_email", "ada@example.com", "customer_name", "Ada",
		"line_description", "Design", "line_unit_price", "50.00")
	refused := person.submit("/invoices", form)
	if refused.status != http.StatusUnprocessableEntity {
		t.Fatal(refused)
	}
	keeps(b, b.page(refused).says("Enter a tax rate from 0 to 100 percent, like 23. Enter 0 for no tax."), form)
	if made := person.submit("/invoices", change(form, "line_tax_rate", "0")); made.status != http.StatusSeeOther {
		t.Errorf("no tax on purpose: %v", made)
	}
}

// TestLinesWithoutJavaScript: adding and removing lines loses nothing and stores nothing. A blank line in the middle keeps its
// place and adds nothing to the totals; removing the only line leaves a blank one.
func TestLinesWithoutJavaScript(t *testing.T) {
	b := setup(t)
	person := b.person(b.replica, b.acme)
	for action, c := range map[string]struct{ was, is [][4]string }{ // description, quantity, price, tax rate
		"add_line": {
			[][4]string{{"Design", "2", "50.00", "23"}, {"Printing", "1.5", "7.99", "6.5"}},
			[][4]string{{"Design", "2", "50.00", "23"}, {"Printing", "1.5", "7.99", "6.5"}, {"", "1", "", "6.5"}},
		},
		"remove_line:0": {[][4]string{{"Design", "2", "50.00", "23"}}, [][4]string{{"", "1", "", ""}}},
		"remove_line:2": {
			[][4]string{{"Design", "1", "50.00", "0"}, {"", "1", "", "0"}, {"Printing", "1", "7.00", "0"}},
			[][4]string{{"Design", "1", "50.00", "0"}, {"", "1", "", "0"}},
		},
	} {
		form := func(lines [][4]string) url.Values {
			form := change(invoices().command, "idempotency_key", key)
			for i, name := range []string{"line_description", "line_quantity", "line_unit_price", "line_tax_rate"} {
				form[name] = nil
				for _, line := range lines {
					form.Add(name, line[i])
				}
			}
			return form
		}
		p := b.page(person.submit("/invoices/form", change(form(c.was), "action", action)))
		keeps(b, p, form(c.is))
		if action == "remove_line:2" {
			p.says("Total EUR 50.00")
		}
	}
	b.wantRows(rows{})
}

// control returns an attribute of the form's control with the id.
func (p page) control(id, attribute string) string {
	p.b.Helper()
	for _, n := range all(p.form(), "input", "textarea", "select") {
		if found, _ := attr(n, "id"); found == id {
			value, _ := attr(n, attribute)
			return value
		}
	}
	p.b.Fatalf("no control %q on the page: %s", id, p.excerpt())
	return ""
}

// named returns the case of the operation with a name.
func (b *bundle) named(operation string) caseRun {
	b.Helper()
	all := b.casesOf(resources()...)
	i := slices.IndexFunc(all, func(x caseRun) bool { return x.operation == operation })
	if i < 0 {
		b.Fatalf("there is no operation %s", operation)
	}
	return all[i]
}
