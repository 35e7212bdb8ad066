package invoicepages_test

import (
	"fmt"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/invoice/invoicecases"
	"onlyonce/internal/invoice/invoiceform"
	"onlyonce/internal/must"
	"onlyonce/internal/site/sitecases"
	"onlyonce/internal/site/sitetest"
)

// forInvoices returns the caller of a format with one invoice that has a typed number.
func forInvoices(b *sitetest.Bundle, f sitetest.Format) (x *sitetest.Case, first sitetest.Answer) {
	b.Helper()
	x = b.Case(invoicecases.Invoices(), f)
	x.Command = sitetest.Change(x.Command, "number", "2026-0007", "answer_series", "keep")
	x.Label = "2026-0007"
	first = x.Ask(x.Command)
	x.Format.Done(x, first)
	return x, first
}

// TestNumberTakenHTML: one button uses the next number, under the same key; also in the form of a draft, where a blank field
// keeps its number. The case "unique value taken" covers the rest.
func TestNumberTakenHTML(t *testing.T) {
	x, _ := forInvoices(sitetest.Setup(t), sitetest.HTML{})
	draft := x.Prepared(x.Acme, "draft", x.Resource, sitetest.Change(x.Command, "number", "R-1")).ID
	x.Forget()
	for path, command := range map[string]url.Values{
		x.Resource.List():              sitetest.Change(x.Other, "number", "2026-0007", "idempotency_key", "another"),
		"/invoices/" + draft + "/edit": sitetest.Change(x.Command, "idempotency_key", "an edit", "version", "1"),
	} {
		p := x.Page(x.Caller.Submit(path, command)).Says("Invoice number 2026-0007 already exists.")
		assert.Thatf(t, control(p, "number", "aria-describedby") == "number-error number-hint", "the number does not say why it is wrong")
		next := "2026-0001"
		if sitetest.Get[int](x.Bundle, `SELECT count(*) FROM invoices WHERE number = $1`, next) > 0 {
			next = "2026-0002"
		}
		saved := x.Caller.Press(p, "Use the next number, "+next)
		x.Page(x.Caller.Get(saved.Location())).Says("Invoice " + next)
		assert.Equal(t, sitetest.Get[int](x.Bundle, `
			SELECT count(*) FROM intents o JOIN invoices i ON i.id = record_id WHERE o.key = $1 AND number = $2`,
			command.Get("idempotency_key"), next), 1, "the key was not kept")
	}
	x.WantOutcomes("created", "conflict", "conflict", "changed")
}

// TestNumberTakenJSON: the problem document has the next number.
func TestNumberTakenJSON(t *testing.T) {
	x, _ := forInvoices(sitetest.Setup(t), sitetest.JSON{})
	refused := x.Under("another", sitetest.Change(x.Other, "number", "2026-0007"))
	p := sitetest.Decode[sitetest.Problem](x.Bundle, refused)
	assert.Thatf(t, p.NextNumber == "2026-0001" && strings.Contains(p.Detail, "2026-0007 already exists"), "%v", refused)
}

// TestNumberOfAnotherYear is no conflict: numbers are unique in a year of issue.
func TestNumberOfAnotherYear(t *testing.T) {
	x, _ := forInvoices(sitetest.Setup(t), sitetest.JSON{})
	send := func(key, number string) sitetest.Answer {
		next := sitetest.Change(x.Other, "number", number, "issue_date", "2027-01-01", "due_date", "2027-01-01")
		return x.Under(key, next)
	}
	next := sitetest.Change(x.Other, "number", "R-7")
	for _, a := range []sitetest.Answer{send("one", "R-7"), x.Under("two", next)} {
		a.Want(t, http.StatusCreated)
	}

	// A number in another year's format could be allocated again in that year.
	refused := send("three", "2026-0007")
	p := sitetest.Decode[sitetest.Problem](x.Bundle, refused)
	assert.Thatf(t, refused.Status == http.StatusUnprocessableEntity && len(p.Errors) == 1 && p.Errors[0].Pointer == "/number" &&
		strings.Contains(p.Errors[0].Detail, "2026-0007 is a number of 2026, and this invoice is issued in 2027."), "%v", refused)
	send("three", "").Want(t, http.StatusCreated, "the key was used up")
}

// TestNumberIsSuggestedAndNotSent: an untouched suggestion means the next number at the time of the request.
func TestNumberIsSuggestedAndNotSent(t *testing.T) {
	b := sitetest.Setup(t)
	x := b.Case(invoicecases.Invoices(), sitetest.HTML{})
	p := b.Page(x.Caller.Get(x.Caller.Get("/invoices/new").Location())).Says(" it is " + thisYear(1) + ".")
	typed := p.Typed()
	assert.Thatf(t, typed.Get("number") == "", "the form has the number %q", typed.Get("number"))
	assert.Equal(t, control(p, "number", "placeholder"), thisYear(1), "suggested number")
	x.Under("meanwhile", sitetest.Change(x.Other, "number", thisYear(1),
		"issue_date", sitetest.Today().String(), "due_date", "2099-01-01"))
	made := x.Caller.Submit("/invoices", sitetest.Change(p.Typed(), "customer_email", "ada@example.com", "customer_name", "Ada Lovelace",
		"line_description", "Design", "line_unit_price", "50.00", "line_tax_rate", "0"))
	b.Page(x.Caller.Get(made.Location())).Says("Invoice " + thisYear(2) + " created")
}

func thisYear(n int) string { return fmt.Sprintf("%d-%04d", sitetest.Today().Year(), n) }

// TestCreateAsNewIsOneClick: the button that creates a new invoice needs no second confirmation, neither for a number other
// than the form's nor for a likely repeat.
func TestCreateAsNewIsOneClick(t *testing.T) {
	x, first := forInvoices(sitetest.Setup(t), sitetest.HTML{})
	other := sitetest.Change(x.Command, "notes", "One more", "number", "2026\u20110007")
	spent := x.Under(sitetest.Key, other)
	spent.Want(t, http.StatusUnprocessableEntity)
	p := x.Page(spent).Says("This form already created 2026-0007.")
	sitetest.Keeps(x.Bundle, p, map[string][]string{"number": {"2026\u20110007"}, "notes": {"One more"}})
	x.Label = "2026-0001"
	second := x.Caller.Press(p, "Create as a new invoice")
	x.Format.Done(x, second)
	x.Format.Replayed(x, x.Caller.Press(p, "Create as a new invoice"), second)
	assert.Thatf(t, second.Location() != first.Location(), "it is the first one")
}

// TestCopyAsNew: a copy has a new key, and is not questioned as a likely repeat.
func TestCopyAsNew(t *testing.T) {
	b := sitetest.Setup(t)
	x := b.Case(invoicecases.Invoices(), sitetest.HTML{})
	first := x.Ask(x.Command)
	opened := x.Caller.Get("/invoices/new?copy=" + path.Base(first.Location()))
	opened.Want(t, http.StatusSeeOther)
	p := b.Page(x.Caller.Get(opened.Location()))
	typed := p.Typed()
	for _, name := range []string{"line_description", "line_quantity", "line_unit_price", "line_tax_rate", "currency", "notes"} {
		sitetest.Keeps(b, p, map[string][]string{name: x.Command[name]})
	}
	assert.Thatf(t, typed.Get("idempotency_key") != sitetest.Key && typed.Get("customer_id") != "", "the form has %v", typed)
	copied := x.Caller.Press(p, "Create invoice")
	must.Thatf(t, copied.Status == http.StatusSeeOther && copied.Location() != first.Location(), "no copy: %v", copied)
	x.Format.Replayed(x, x.Caller.Press(p, "Create invoice"), copied)
	x.Caller.Get(copied.Location())
	b.WantOutcomes("created", "created", "replayed")
}

// TestNoTaxRateByDefault: no invoice is free of tax because the user overlooked the field.
func TestNoTaxRateByDefault(t *testing.T) {
	b := sitetest.Setup(t)
	person := b.Person(b.Replica, b.Acme)
	p := b.Page(person.Get(person.Get("/invoices/new").Location()))
	form := p.Typed()
	rate := form["line_tax_rate"]
	must.Thatf(t, len(rate) == 1 && rate[0] == "", "a new line has the tax rate %q", rate)
	form = sitetest.Change(form, "customer_email", "ada@example.com", "customer_name", "Ada",
		"line_description", "Design", "line_unit_price", "50.00")
	refused := person.Submit("/invoices", form)
	refused.Want(t, http.StatusUnprocessableEntity)
	sitetest.Keeps(b, b.Page(refused).Says("Enter a tax rate from 0 to 100 percent, like 23. Enter 0 for no tax."), form)
	person.Submit("/invoices", sitetest.Change(form, "line_tax_rate", "0")).Want(t, http.StatusSeeOther, "no tax on purpose")
}

// TestLinesWithoutJavaScript: adding and removing lines loses nothing and stores nothing. A blank line in the middle keeps its
// place and adds nothing to the totals; removing the only line leaves a blank one.
func TestLinesWithoutJavaScript(t *testing.T) {
	b := sitetest.Setup(t)
	person := b.Person(b.Replica, b.Acme)
	for action, c := range map[string]struct{ was, is [][7]string }{ // in the order of the columns
		"add_line": {
			[][7]string{{"Design", "2", "HUR", "50.00", "10%", "23", ""}, {"Printing", "1.5", "", "7.99", "", "0", "export"}},
			[][7]string{{"Design", "2", "HUR", "50.00", "10%", "23", ""}, {"Printing", "1.5", "", "7.99", "", "0", "export"},
				{"", "1", "", "", "", "", ""}},
		},
		"remove_line:0": {[][7]string{{"Design", "2", "", "50.00", "", "0", "export"}}, [][7]string{{"", "1", "", "", "", "", ""}}},
		"remove_line:2": {
			[][7]string{{"Design", "1", "", "50.00", "", "0", ""}, {"", "1", "", "", "", "0", ""},
				{"Printing", "1", "", "7.00", "", "0", ""}},
			[][7]string{{"Design", "1", "", "50.00", "", "0", ""}, {"", "1", "", "", "", "0", ""}},
		},
	} {
		form := func(lines [][7]string) url.Values {
			form := sitetest.Change(invoicecases.Invoices().Command, "idempotency_key", sitetest.Key)
			for i, name := range invoiceform.LineTable().Names() {
				form[name] = nil
				for _, line := range lines {
					form.Add(name, line[i])
				}
			}
			return form
		}
		p := b.Page(person.Submit("/invoices/form", sitetest.Change(form(c.was), "action", action)))
		sitetest.Keeps(b, p, form(c.is))
		if action == "remove_line:2" {
			p.Says("Total EUR 50.00")
		}
	}
	b.WantRows(sitetest.Rows{})
}

// control returns an attribute of the form's control with the id.
func control(p sitetest.Page, id, attribute string) string {
	p.B.Helper()
	for _, n := range sitetest.Elements(p.Form(), "input", "textarea", "select") {
		if found, _ := sitetest.Attr(n, "id"); found == id {
			value, _ := sitetest.Attr(n, attribute)
			return value
		}
	}
	p.B.Fatalf("no control %q on the page: %s", id, p.Excerpt())
	return ""
}

// named returns the case of the operation with a name.
func named(b *sitetest.Bundle, operation string) sitetest.Case {
	b.Helper()
	all := b.CasesOf(sitecases.Resources()...)
	i := slices.IndexFunc(all, func(x sitetest.Case) bool { return x.Operation == operation })
	must.Thatf(b, i >= 0, "there is no operation %s", operation)
	return all[i]
}

// TestExpiredFormCreatesAgainOnPurpose, under a fresh key, in one click.
func TestExpiredFormCreatesAgainOnPurpose(t *testing.T) {
	x := sitetest.Setup(t).Case(invoicecases.Invoices(), sitetest.HTML{})
	x.Ask(x.Command)
	x.Expire(x.Acme)
	late := x.Ask(x.Other)
	x.Label = "2026-0002"
	x.Format.Done(x, x.Caller.Press(x.Page(late), "Create as a new invoice"))
	x.WantOutcomes(sitetest.Did, "mismatch", sitetest.Did)
}

// TestExpiredAndNumberTaken: a late retry gets its own invoice, regardless of the order in which the constraints are checked.
func TestExpiredAndNumberTaken(t *testing.T) {
	x, first := forInvoices(sitetest.Setup(t), sitetest.JSON{})
	x.Expire(x.Acme)
	late := x.Ask(x.Command)
	assert.Thatf(t, late.Status == http.StatusOK && late.Location() == first.Location(), "%v", late)
}
