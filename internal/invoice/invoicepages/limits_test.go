package invoicepages_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/invoicecases"
	"onlyonce/internal/invoice/invoiceform"
	"onlyonce/internal/site/sitetest"
)

// withLines returns a command with n distinguishable lines.
func withLines(n int) url.Values {
	form := sitetest.Change(invoicecases.Invoices().Command, "idempotency_key", sitetest.Key)
	for _, name := range invoiceform.LineTable().Names() {
		form[name] = nil
		for i := range n {
			form.Add(name, strconv.Itoa(i+1))
		}
	}
	return form
}

// TestMoreLinesThanAllowed: the form keeps all of the lines, and explains the limit.
func TestMoreLinesThanAllowed(t *testing.T) {
	b := sitetest.Setup(t)
	person := b.Person(b.Replica, b.Acme)
	for _, n := range []int{201, 500} {
		form := withLines(n)
		a := person.Submit("/invoices", form)
		a.Want(t, http.StatusUnprocessableEntity, n)
		p := b.Page(a).Says("An invoice can have at most 200 lines.")
		for name := range form {
			got := p.Typed()[name]
			assert.Thatf(t, slices.Equal(got, form[name]), "%s of %d lines came back as %.200q", name, n, got)
		}
		fewer := p.Typed()
		fewer.Set("action", "remove_line:199")
		if got := b.Page(person.Submit("/invoices/form", fewer)).Typed()["line_quantity"]; len(got) != n-1 || got[199] != "201" {
			t.Errorf("removing one of %d lines leaves %d: %.200q", n, len(got), got)
		}
	}
	one := sitetest.Change(withLines(invoice.MaxLines), "action", "add_line")
	a := person.Submit("/invoices/form", one)
	if one.Del("action"); a.Status != http.StatusUnprocessableEntity {
		t.Errorf("one more line: %v", a)
	}
	sitetest.Keeps(b, b.Page(a).Says("An invoice can have at most 200 lines."), one)
	b.WantRows(sitetest.Rows{})
}

// TestRaggedLines: a field is shown again even where the line's description is missing.
func TestRaggedLines(t *testing.T) {
	b := sitetest.Setup(t)
	form := sitetest.Change(invoicecases.Invoices().Command, "idempotency_key", sitetest.Key)
	form["line_unit_price"] = []string{"1", "2", "3"}
	a := b.Person(b.Replica, b.Acme).Submit("/invoices", form)
	got := b.Page(a).Typed()["line_unit_price"]
	assert.Thatf(t, a.Status == http.StatusUnprocessableEntity && len(got) == 3, "prices %q in %v", got, a)
}

// TestLinesThatAreNotCommands: too many lines, and lines with unknown members.
func TestLinesThatAreNotCommands(t *testing.T) {
	b := sitetest.Setup(t)
	program := b.Program(b.Replica, b.Acme).With("Idempotency-Key", sitetest.Key)
	good := invoicecases.Invoices().API.Encode(invoicecases.Invoices().Command)
	line := sitetest.Decode[map[string]json.RawMessage](b, sitetest.Answer{Body: good})["lines"]
	lines := func(n int) string {
		one := strings.Trim(string(line), "[]")
		return strings.Replace(good, string(line), "["+strings.TrimSuffix(strings.Repeat(one+",", n), ",")+"]", 1)
	}
	for name, c := range map[string]struct {
		body   string
		status int
		slug   string
	}{
		"one line more than allowed": {lines(201), 422, "invalid"},
		"very many lines":            {lines(501), 413, "too-large"},
		"unknown field in a line":    {strings.Replace(good, `"quantity"`, `"hue":"","quantity"`, 1), 400, "malformed"},
		"number where text belongs":  {strings.Replace(good, `"50.00"`, `50.00`, 1), 422, "invalid"},
	} {
		a := program.Post("/api/v1/invoices", c.body)
		p := sitetest.Decode[sitetest.Problem](b, a)
		assert.Thatf(t, a.Status == c.status && p.Type == "/problems/"+c.slug && p.Status == c.status, "%s: %v", name, a)
	}
	program.InDoubt("/api/v1/invoices", map[string]string{
		`{"lines": [{"tax_rate": "99"}], ` + good[1:]:                              "/lines",
		`{"lines": null, ` + good[1:]:                                              "/lines",
		strings.Replace(good, `"email"`, `"email": "eve@example.com", "email"`, 1): "/customer/email",
		strings.Replace(good, `"quantity"`, `"quantity": "7", "quantity"`, 1):      "/lines/0/quantity",
		strings.Replace(good, `"quantity"`, `"qu\u0061ntity": "7", "quantity"`, 1): "/lines/0/quantity",
		strings.Replace(good, `"lines"`, `"Lines"`, 1):                             "/Lines",
		`{"Lines": [{"tax_rate": "99"}], ` + good[1:]:                              "/Lines",
		strings.Replace(good, `"quantity"`, `"Quantity"`, 1):                       "/lines/0/Quantity",
		strings.Replace(good, `"email"`, `"EMAIL"`, 1):                             "/customer/EMAIL",
	})
	b.WantRows(sitetest.Rows{})
}

// TestInvoiceFieldsInDoubt: a field that comes twice is refused, because the server can't decide which one was meant.
func TestInvoiceFieldsInDoubt(t *testing.T) {
	b := sitetest.Setup(t)
	person := b.Person(b.Replica, b.Acme)
	for _, name := range []string{
		"number", "customer_id", "customer_email", "customer_name", "issue_date", "due_date", "currency", "notes", "allow_repeat",
		"used_number", "due_by_terms",
	} {
		form := sitetest.Change(invoicecases.Invoices().Command, "idempotency_key", sitetest.Key)
		form[name] = []string{form.Get(name), form.Get(name) + "2"}
		if a := person.Submit("/invoices", form); a.Status != http.StatusUnprocessableEntity {
			t.Errorf("%s: %v", name, a)
		} else {
			b.Page(a).Says("was sent twice")
		}
	}
	b.WantRows(sitetest.Rows{})
}
