package invoicepages

import (
	"encoding/json"
	"errors"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/invalid"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/invoiceform"
	"onlyonce/internal/must"
	"onlyonce/internal/web"
	"onlyonce/internal/web/webtest"
)

const validInvoice = `{"number":"2026-0042","customer":{"email":"ada@example.com","name":"Ada"},"issue_date":"2026-11-21",
	"due_date":"2026-12-21","currency":"EUR","lines":[{"description":"Design","quantity":"2","unit_price":"50.00","tax_rate":"23"}],
	"notes":"a\r\nb"}`

// maxRepeats is the maximum number of elements of an array, and of form fields with the same name.
const maxRepeats = 500

// FuzzInvoiceJSON checks that a body is refused with a reason of limited length, or is within the limits and means the same to another
// decoder. If it is a valid command, a form can send the same.
func FuzzInvoiceJSON(f *testing.F) {
	for _, seed := range []string{
		"", "{}", "null", "[]", validInvoice, validInvoice + "x", validInvoice + " ", strings.Replace(validInvoice, `"2"`, `2`, 1),
		strings.Replace(validInvoice, `"customer"`, `"CUSTOMER"`, 1), strings.Replace(validInvoice, "Design", `\ud800`, 1),
		`{"lines":[{"tax_rate":"9"}],` + validInvoice[1:], strings.Replace(validInvoice, `"tax_rate"`, `"quantity":"3","tax_rate"`, 1),
		`{"lines":[` + strings.Repeat(`{},`, maxRepeats-1) + `{}]}`, `{"lines":[` + strings.Repeat(`{},`, maxRepeats) + `{}]}`,
		strings.Repeat(`{"notes":[`, 50), `{"` + strings.Repeat("x", 1000) + `":1}`, validInvoice + strings.Repeat(" ", 1000),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		var in invoice.Input
		if err := web.DecodeJSON(webtest.Posted("application/json", body), &in); err != nil {
			name := web.ProblemName(err)
			assert.Thatf(t, (name == "malformed" || name == "invalid" || name == "too-large") && len(err.Error()) <= 2000,
				"%q: %v", body, err)
			return
		}
		// encoding/json merges duplicate names and ignores case. An accepted body has neither.
		var lenient invoice.Input
		if err := json.Unmarshal([]byte(body), &lenient); err != nil || !reflect.DeepEqual(in, lenient) || len(in.Lines) > maxRepeats {
			t.Errorf("%q: %v\n%+v\n%+v", body, err, in, lenient)
		}
		if draft, ok := accepted(t, in); ok {
			r := webtest.Posted("application/x-www-form-urlencoded", asForm(in).Encode())
			must.OK(t, web.ParseForm(r))
			sameCommand(t, draft, invoiceform.Read(r.PostForm))
		}
	})
}

// FuzzInvoiceForm checks that a form is refused with a reason, or is a command that JSON can also send.
func FuzzInvoiceForm(f *testing.F) {
	var in invoice.Input
	must.OK(f, json.Unmarshal([]byte(validInvoice), &in))
	for _, seed := range []string{
		"", "%", "a;b", asForm(in).Encode(), asForm(in).Encode() + "&line_description=", asForm(in).Encode() + "&next_number=1",
		asForm(in).Encode() + "&number=7", strings.Repeat("line_tax_rate=&", maxRepeats), strings.Repeat("line_tax_rate=&", maxRepeats+1),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		r := webtest.Posted("application/x-www-form-urlencoded", body)
		if err := web.ParseForm(r); err != nil {
			return
		}
		in := invoiceform.Read(r.PostForm)
		if draft, ok := accepted(t, in); ok {
			encoded, err := json.Marshal(in)
			must.OK(t, err)
			var again invoice.Input
			if err := web.DecodeJSON(webtest.Posted("application/json", string(encoded)), &again); err != nil {
				t.Fatalf("%s: %v", encoded, err)
			}
			sameCommand(t, draft, again)
		}
	})
}

// accepted returns the command of an input if it is valid. Otherwise the error must have a sentence.
func accepted(t *testing.T, in invoice.Input) (invoice.Draft, bool) {
	t.Helper()
	draft, err := in.Draft()
	if err == nil {
		return draft, true
	}
	problems, ok := errors.AsType[*invalid.Error](err)
	assert.Thatf(t, ok && len(problems.Fields) != 0 && problems.Fields[0].Message != "", "%+v: refused without a reason: %v", in, err)
	return draft, false
}

func asForm(in invoice.Input) url.Values {
	form := url.Values{
		"number": {in.Number}, "customer_id": {in.CustomerID}, "issue_date": {in.IssueDate}, "due_date": {in.DueDate},
		"currency": {in.Currency}, "notes": {in.Notes},
	}
	if in.Customer != nil {
		form.Set("customer_email", in.Customer.Email)
		form.Set("customer_name", in.Customer.Name)
	}
	for _, line := range in.Lines {
		form.Add("line_description", line.Description)
		form.Add("line_quantity", line.Quantity)
		form.Add("line_unit_price", line.UnitPrice)
		form.Add("line_tax_rate", line.TaxRate)
	}
	return form
}

// sameCommand checks that an input has the same fingerprint.
func sameCommand(t *testing.T, want invoice.Draft, in invoice.Input) {
	t.Helper()
	got, err := in.Draft()
	must.Thatf(t, err == nil, "refused the other way: %v", err)
	first, err := idempotency.FingerprintOf(want)
	must.OK(t, err)
	second, err := idempotency.FingerprintOf(got)
	must.OK(t, err)
	assert.Thatf(t, first == second, "fingerprints differ:\n%+v\n%+v", want, got)
}
