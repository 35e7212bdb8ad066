package invoiceviews_test

import (
	"slices"
	"testing"

	"golang.org/x/net/html"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/templates"
	"onlyonce/templates/invoiceviews"
	"onlyonce/templates/viewtest"
)

// TestNothingTypedIsLost checks that a form that came back sends all input again.
func TestNothingTypedIsLost(t *testing.T) {
	t.Parallel()
	typed := typedForm()
	want := []templates.Field{
		{Name: "idempotency_key", Value: typed.Key},
		{Name: "tenant", Value: typed.Owner.ID},
		{Name: "tenant_name", Value: typed.Owner.Name},
		{Name: "allow_repeat", Value: "1"},
		{Name: "customer_id", Value: "gone"},
		{Name: "search-customer_id", Value: ""},
		{Name: "customer_email", Value: "ada@"},
		{Name: "customer_name", Value: hostile},
		{Name: "number", Value: " 2026-0042 "},
		{Name: "currency", Value: "EURO"},
		{Name: "issue_date", Value: "2026-11-21"},
		{Name: "due_date", Value: "21/12/2026"},
		{Name: "supplied_from", Value: "November"},
		{Name: "supplied_to", Value: "2026-11-30"},
	}
	for _, l := range typed.Lines {
		want = append(want, lineFields(l)...)
	}
	want = append(want, templates.Field{Name: "exemption_reason", Value: "Article 132"}, templates.Field{Name: "notes", Value: typed.Notes})

	for name, form := range returnedForms() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := viewtest.Parse(t, invoiceviews.InvoiceFormPage(viewtest.Blank(), form))
			got := viewtest.Successful(viewtest.FormTo(t, doc, "/invoices"))
			assert.Thatf(t, slices.Equal(got, want), "the form sends\n%q\nwant\n%q", got, want)
		})
	}
}

// TestEnterCreates checks the first submit button in tree order, which browsers press on Enter.
func TestEnterCreates(t *testing.T) {
	t.Parallel()
	for name, form := range returnedForms() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := viewtest.Parse(t, invoiceviews.InvoiceFormPage(viewtest.Blank(), form))
			first := viewtest.Find(viewtest.FormTo(t, doc, "/invoices"), func(n *html.Node) bool { return n.Data == "button" })
			plain := viewtest.Attr(first, "type") == "submit" && !viewtest.Has(first, "name") && !viewtest.Has(first, "formaction")
			text := viewtest.Text(first)
			assert.Thatf(t, plain && text == "Create invoice", "Enter presses %v %q", first.Attr, text)
		})
	}
}

func TestNoticesOfferOneClickWaysOn(t *testing.T) {
	t.Parallel()
	forms := returnedForms()
	tests := map[string]struct{ text, button, field string }{
		"conflict": {
			text:   "Invoice number 2026-0042 already exists. We kept the original.",
			button: "Use the next number, 2026-0043", field: "next_number=1",
		},
		"form spent": {
			text:   "This form already created 2026-0042. Your changes weren't saved.",
			button: "Create as a new invoice", field: "fresh_key=fresh",
		},
		"stale": {
			text: "2026-0042 was changed while you were editing. Your changes aren't saved yet. You both changed the same fields. " +
				"Tick what's saved to keep it; everything else is saved as in your form.",
			button: "Save as chosen", field: "=",
		},
		"no key": {
			text:   forms["no key"].Notice.Title + " " + forms["no key"].Notice.Text,
			button: "Send with a new key", field: "fresh_key=fresh",
		},
		"still saving": {
			text:   "Still saving. Your first submission hasn't finished. Trying again is safe.",
			button: "Try again", field: "=",
		},
		"busy": {
			text:   "Busy. Saving took too long, so nothing was saved. Trying again is safe.",
			button: "Try again", field: "=",
		},
		"unconfirmed": {
			text:   "We couldn't confirm that this was saved. Trying again is safe: nothing is created twice.",
			button: "Try again", field: "=",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			form := viewtest.FormTo(t, viewtest.Parse(t, invoiceviews.InvoiceFormPage(viewtest.Blank(), forms[name])), "/invoices")
			notice := viewtest.Find(form, func(n *html.Node) bool { return viewtest.Attr(n, "role") == "alert" })
			must.Thatf(t, notice != nil, "no notice inside the form")
			assert.Equal(t, viewtest.Text(viewtest.Find(notice, func(n *html.Node) bool { return n.Data == "p" })), tt.text)
			button := viewtest.Find(notice, func(n *html.Node) bool { return n.Data == "button" })
			on, field := viewtest.Text(button), viewtest.Attr(button, "name")+"="+viewtest.Attr(button, "value")
			assert.Thatf(t, on == tt.button && field == tt.field, "button %q sends %s, want %q sending %s", on, field, tt.button, tt.field)
		})
	}
}

func TestErrorsStandBesideTheirFields(t *testing.T) {
	t.Parallel()
	form := returnedForms()["invalid"]
	doc := viewtest.Parse(t, invoiceviews.InvoiceFormPage(viewtest.Blank(), form))
	for _, e := range form.Errors {
		control := viewtest.Find(doc, func(n *html.Node) bool { return viewtest.Attr(n, "id") == e.Control })
		message := viewtest.Find(doc, func(n *html.Node) bool { return viewtest.Attr(n, "id") == e.Control+"-error" })
		link := viewtest.Find(doc, func(n *html.Node) bool { return viewtest.Attr(n, "href") == "#"+e.Control })
		if control == nil || message == nil || link == nil {
			t.Errorf("%s: control %v, message %v, link %v", e.Control, control, message, link)
			continue
		}
		beside, above := viewtest.Text(message), viewtest.Text(link)
		assert.Thatf(t, viewtest.Attr(control, "aria-invalid") == "true" && beside == "Error: "+e.Message && above == e.Message,
			"%s: %v, %q, %q", e.Control, control.Attr, beside, above)
	}
}

// lineFields returns the fields that a line sends.
func lineFields(l invoiceviews.InvoiceFormLine) []templates.Field {
	return []templates.Field{
		{Name: "line_description", Value: l.Description},
		{Name: "line_quantity", Value: l.Quantity},
		{Name: "line_unit", Value: l.Unit},
		{Name: "line_unit_price", Value: l.UnitPrice},
		{Name: "line_discount", Value: l.Discount},
		{Name: "line_tax_rate", Value: l.TaxRate},
		{Name: "line_tax_treatment", Value: l.Treatment},
	}
}
