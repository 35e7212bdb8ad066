package templates_test

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"onlyonce/templates"
)

// However the form comes back, sending it again sends all that was typed.
func TestNothingTypedIsLost(t *testing.T) {
	t.Parallel()
	typed := typedForm()
	want := []templates.Field{
		{Name: "idempotency_key", Value: typed.Key},
		{Name: "tenant", Value: typed.Owner.ID},
		{Name: "tenant_name", Value: typed.Owner.Name},
		{Name: "allow_repeat", Value: "1"},
		{Name: "customer_id", Value: "gone"},
		{Name: "customer_email", Value: "ada@"},
		{Name: "customer_name", Value: hostile},
		{Name: "number", Value: " 2026-0042 "},
		{Name: "currency", Value: "EURO"},
		{Name: "issue_date", Value: "2026-11-21"},
		{Name: "due_date", Value: "21/12/2026"},
	}
	for _, l := range typed.Lines {
		want = append(want, lineFields(l)...)
	}
	want = append(want, templates.Field{Name: "notes", Value: typed.Notes})

	for name, form := range returnedForms() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := parse(t, templates.InvoiceFormPage(blank, form))
			if got := successful(formTo(t, doc, "/invoices")); !slices.Equal(got, want) {
				t.Errorf("the form sends\n%q\nwant\n%q", got, want)
			}
		})
	}
}

// Browsers answer Enter with the first submit button in tree order.
func TestEnterCreates(t *testing.T) {
	t.Parallel()
	for name, form := range returnedForms() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := parse(t, templates.InvoiceFormPage(blank, form))
			first := find(formTo(t, doc, "/invoices"), func(n *html.Node) bool { return n.Data == "button" })
			if attr(first, "type") != "submit" || has(first, "name") || has(first, "formaction") || text(first) != "Create invoice" {
				t.Errorf("Enter presses %v %q", first.Attr, text(first))
			}
		})
	}
}

func TestNoticesOfferOneClickWaysOn(t *testing.T) {
	t.Parallel()
	forms := returnedForms()
	tests := map[string]struct{ says, button, field string }{
		"conflict": {
			says:   "Invoice number 2026-0042 already exists. We kept the original.",
			button: "Use the next number, 2026-0043", field: "next_number=1",
		},
		"form spent": {
			says:   "This form already created 2026-0042. Your changes were not saved.",
			button: "Create as a new invoice", field: "fresh_key=fresh",
		},
		"stale": {
			says: "2026-0042 was changed while you were editing. Your changes were not saved. " +
				"Save yours instead, keep what is saved, or go on editing below.",
			button: "Save mine instead", field: "=",
		},
		"no key": {
			says:   forms["no key"].Notice.Title + " " + forms["no key"].Notice.Text,
			button: "Send with a new key", field: "fresh_key=fresh",
		},
		"still saving": {
			says:   "Still saving. Your first submission has not finished. Trying again is safe.",
			button: "Try again", field: "=",
		},
		"busy": {
			says:   "Busy. Saving took too long, so nothing was saved. Trying again is safe.",
			button: "Try again", field: "=",
		},
		"unconfirmed": {
			says:   "We could not confirm that this was saved. Trying again is safe: it will not be created twice.",
			button: "Try again", field: "=",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			form := formTo(t, parse(t, templates.InvoiceFormPage(blank, forms[name])), "/invoices")
			notice := find(form, func(n *html.Node) bool { return attr(n, "role") == "alert" })
			if notice == nil {
				t.Fatal("no notice inside the form")
			}
			if said := text(find(notice, func(n *html.Node) bool { return n.Data == "p" })); said != tt.says {
				t.Errorf("says %q, want %q", said, tt.says)
			}
			button := find(notice, func(n *html.Node) bool { return n.Data == "button" })
			if field := attr(button, "name") + "=" + attr(button, "value"); text(button) != tt.button || field != tt.field {
				t.Errorf("button %q sends %s, want %q sending %s", text(button), field, tt.button, tt.field)
			}
		})
	}
}

func TestErrorsStandBesideTheirFields(t *testing.T) {
	t.Parallel()
	form := returnedForms()["invalid"]
	doc := parse(t, templates.InvoiceFormPage(blank, form))
	for _, e := range form.Errors {
		control := find(doc, func(n *html.Node) bool { return attr(n, "id") == e.Control })
		message := find(doc, func(n *html.Node) bool { return attr(n, "id") == e.Control+"-error" })
		link := find(doc, func(n *html.Node) bool { return attr(n, "href") == "#"+e.Control })
		if control == nil || message == nil || link == nil {
			t.Errorf("%s: control %v, message %v, link %v", e.Control, control, message, link)
			continue
		}
		if attr(control, "aria-invalid") != "true" || text(message) != "Error: "+e.Message || text(link) != e.Message {
			t.Errorf("%s: %v, %q, %q", e.Control, control.Attr, text(message), text(link))
		}
	}
}

// TestTitleOfInvoiceFormSaysError as those of other forms do.
func TestTitleOfInvoiceFormSaysError(t *testing.T) {
	t.Parallel()
	for name, form := range returnedForms() {
		if title := titleOf(parse(t, templates.InvoiceFormPage(blank, form))); !strings.HasPrefix(title, "Error: ") {
			t.Errorf("%s: title %q", name, title)
		}
	}
	if title := titleOf(parse(t, templates.InvoiceFormPage(blank, templates.InvoiceForm{}))); strings.HasPrefix(title, "Error: ") {
		t.Errorf("a fresh one: title %q", title)
	}
}

// lineFields are the fields that one line posts.
func lineFields(l templates.InvoiceFormLine) []templates.Field {
	return []templates.Field{
		{Name: "line_description", Value: l.Description},
		{Name: "line_quantity", Value: l.Quantity},
		{Name: "line_unit_price", Value: l.UnitPrice},
		{Name: "line_tax_rate", Value: l.TaxRate},
	}
}
