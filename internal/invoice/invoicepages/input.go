package invoicepages

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"

	"github.com/google/uuid"

	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/closing"
	"onlyonce/internal/invoice/invoiceform"
	"onlyonce/internal/people/settings"
	"onlyonce/internal/record"
	"onlyonce/internal/value/date"
	"onlyonce/internal/web"
	"onlyonce/templates"
)

// freshInvoice returns the values of a new form, based on the settings. The query parameter customer chooses a customer, and copy an
// invoice to copy. Without a customer the due date is blank, so that it follows from the customer chosen later.
func (s *Pages) freshInvoice(r *http.Request) (url.Values, error) {
	is, err := settings.Of(r.Context(), s.site.Pool, web.Principal(r).Tenant)
	if err != nil {
		return nil, err
	}
	fresh := url.Values{
		"issue_date": {s.site.Today(r).String()}, "currency": {is.Currency.String()}, "line_quantity": {"1"}, "line_tax_rate": {is.TaxRate},
	}
	of, _ := uuid.Parse(r.URL.Query().Get("customer")) // uuid.Nil if it is no id
	var original invoice.Invoice
	if id, err := uuid.Parse(r.URL.Query().Get("copy")); err == nil {
		if original, err = record.Find(r.Context(), s.site.Pool, invoice.Table, web.Principal(r).Tenant, id); err != nil {
			return nil, err
		}
		of = original.Customer.ID
	}
	if of == uuid.Nil {
		return fresh, nil
	}
	fresh.Set("customer_id", of.String())
	usual, err := invoice.UsualOf(r.Context(), s.site.Pool, web.Principal(r).Tenant, []uuid.UUID{of})
	if err != nil {
		return nil, err
	}
	for _, is := range usual { // empty for an unknown customer
		fresh.Set("currency", is.Currency.String())
		fresh.Set("due_date", s.site.Today(r).AddDays(is.PaymentDays).String())
		if is.NoTax != "" {
			fresh.Set("line_tax_treatment", string(is.NoTax))
			fresh.Set("line_tax_rate", "0")
			fresh.Set("exemption_reason", is.Exemption)
		}
	}
	if original.Number != "" {
		copyInto(fresh, original)
	}
	return fresh, nil
}

// copyField has the number of the invoice that a form was filled from.
const copyField = "copy_of"

// copyInto fills a form with the values of an invoice. A copy is an intended repeat, so the form does not ask about it.
func copyInto(form url.Values, original invoice.Invoice) {
	for name, values := range fillInvoice(original) {
		switch name {
		case "number", "issue_date", "due_date", "supplied_from", "supplied_to":
		default:
			form[name] = values
		}
	}
	form.Set(copyField, original.Number)
	form.Set(idempotency.AllowRepeatField, "1")
}

// invoiceFacts returns the typed values, each line as a fact.
func invoiceFacts(form url.Values) []templates.Fact {
	of := func(label, name string) templates.Fact { return templates.Fact{Label: label, Value: form.Get(name)} }
	day := func(label, name string) templates.Fact {
		return templates.Fact{Label: label, Value: web.TypedDay(form.Get(name))}
	}
	facts := []templates.Fact{{Label: "Customer", Value: typedCustomer(form)}}
	facts = append(facts, of("Number", "number"), day("Issue date", "issue_date"), day("Due date", "due_date"),
		day("Supplied on", "supplied_from"), day("Supplied until", "supplied_to"),
		of("Currency", "currency"), of("Reason for the exemption", "exemption_reason"), of("Notes", "notes"))
	return append(facts, invoiceform.LineFacts(form)...)
}

// typedCustomer returns the chosen or typed customer, in the format of invoiceform.CustomerOption.
func typedCustomer(form url.Values) string {
	if id, label, _ := strings.Cut(form.Get("customer_id"), " "); id != "" {
		return cmp.Or(label, id) // the fields of a new customer are ignored
	}
	return invoiceform.CustomerOption(customer.Offered{Name: form.Get("customer_name"), Email: form.Get("customer_email")}).Text
}

func (s *Pages) unusualIssue(r *http.Request, d invoice.Draft) (is invoiceform.Doubt, _ error) {
	closed, err := s.closedWith(r, d.IssueDate)
	if err != nil {
		return is, err
	}
	if closed != (date.Date{}) {
		is.Problem = "An invoice of " + d.IssueDate.Display() + " can't be issued: the books are closed through " + closed.Display() + "."
	} else if off := invoiceform.AYearOff(s.site.Today(r), d.IssueDate); off != "" {
		is.Problem = "The issue date, " + d.IssueDate.Display() + ", is " + off + "."
	}
	is.Answer, is.Confirm = d.IssueDate.String(), "Save with this date"
	return is, nil
}

// closedWith returns the last closed day if a day is closed, or else the zero date.
func (s *Pages) closedWith(r *http.Request, day date.Date) (date.Date, error) {
	if !day.Before(s.site.Today(r)) { // a closed day is over
		return date.Date{}, nil
	}
	closed, err := closing.Last(r.Context(), s.site.Pool, web.Principal(r).Tenant)
	if closed.Before(day) {
		closed = date.Date{}
	}
	return closed, err
}

// movedIssue asks about a changed issue date.
func (s *Pages) movedIssue(r *http.Request, d invoice.Draft) (invoiceform.Doubt, error) {
	found, err := s.Invoices.Find(r)
	if err != nil || found.IssueDate == d.IssueDate {
		return invoiceform.Doubt{}, err
	}
	return s.unusualIssue(r, d)
}
