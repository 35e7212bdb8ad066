package invoicepages

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"onlyonce/internal/customer"
	"onlyonce/internal/invalid"
	"onlyonce/internal/invoice"
	"onlyonce/internal/people/settings"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/money"
	"onlyonce/internal/value/party"
	"onlyonce/internal/web"
	"onlyonce/templates"
	"onlyonce/templates/invoiceviews"
)

// invoiceForm is the page with the form of an invoice.
func (s *Pages) invoiceForm(r *http.Request, p templates.Page, f templates.Form) (templ.Component, error) {
	in := readInvoice(f.Typed)
	if f.Notice != nil || len(f.Errors) > 0 {
		in = withoutBlankLines(in)
	}
	chosen, _ := uuid.Parse(in.CustomerID) // what is no id is nothing
	customers, err := customer.Offer(r.Context(), s.Pool, web.Principal(r).Tenant, chosen)
	if err != nil {
		return nil, err
	}
	is, err := settings.Of(r.Context(), s.Pool, web.Principal(r).Tenant)
	if err != nil {
		return nil, err
	}
	issued, err := date.Parse(in.IssueDate)
	if err != nil {
		issued = date.Today()
	}
	next, err := invoice.NextNumber(r.Context(), s.Pool, web.Principal(r).Tenant, issued.Year())
	if err != nil {
		return nil, err
	}
	if original := f.Typed.Get("copy_of"); original != "" {
		f.Title = "Copy of " + original
	}
	form := invoiceviews.InvoiceForm{
		Form: f, NextNumber: next, CustomerID: f.Typed.Get("customer_id"), Number: in.Number,
		IssueDate: in.IssueDate, DueDate: in.DueDate, Currency: in.Currency, Notes: in.Notes,
		DueHint:    "Leave blank for " + party.DaysText(is.PaymentDays) + " after the issue date, or the customer’s own terms.",
		Currencies: currencies(), MaxLines: invoice.MaxLines, LinesHref: strings.TrimSuffix(f.Action, "/edit") + "/form",
		// What was typed for a new customer stays, even while another one is chosen.
		CustomerEmail: f.Typed.Get("customer_email"), CustomerName: f.Typed.Get("customer_name"),
	}
	for _, c := range customers {
		option := customerOption(c)
		form.Customers = append(form.Customers, option)
		if c.ID == chosen {
			form.CustomerID = option.Value
			form.DueHint = "Leave blank for " + party.DaysText(cmp.Or(c.PaymentDays, is.PaymentDays)) + " after the issue date."
		}
	}
	fillLines(&form, in)
	return invoiceviews.InvoiceFormPage(p, form), nil
}

// fillLines shows the lines of a form, with amounts where they can be known.
func fillLines(form *invoiceviews.InvoiceForm, in invoice.Input) {
	amounts := in.Preview().Lines
	for i, l := range in.Lines {
		form.Lines = append(form.Lines, invoiceviews.InvoiceFormLine{
			Description: l.Description, Quantity: l.Quantity, UnitPrice: l.UnitPrice, TaxRate: l.TaxRate,
			Amount: amounts[i],
		})
	}
	if len(form.Lines) == 0 {
		form.Lines = []invoiceviews.InvoiceFormLine{{}}
	}
	totals := withoutBlankLines(in).Preview()
	form.Subtotal, form.Tax, form.Total = totals.Subtotal, totals.Tax, totals.Total
}

// editLines adds or removes a line for people without JavaScript.
func editLines(f *templates.Form) error {
	in := readInvoice(f.Typed)
	lines := in.Lines
	readNumbers(lines, in.Currency) // nothing is saved, and what was read is shown
	action, index, _ := strings.Cut(f.Typed.Get("action"), ":")
	switch i, err := strconv.Atoi(index); {
	case action == "add_line" && len(lines) >= invoice.MaxLines:
		var full invalid.Error
		full.Add("/lines", invoice.TooManyLines())
		return full.Err()
	case action == "add_line":
		lines = append(lines, newLine(lines))
		f.Focus = invoiceviews.LineControl("line_description", len(lines)-1)
	case action == "remove_line" && err == nil && i >= 0 && i < len(lines):
		lines = slices.Delete(lines, i, i+1)
		if len(lines) == 0 {
			lines = append(lines, newLine(nil))
		}
		f.Focus = invoiceviews.LineControl("line_description", min(i, len(lines)-1))
	}
	setLines(f.Typed, lines)
	return nil
}

// customerOption sends the customer's name along with the id, so that the choice can be shown again when
// the database cannot be asked for it.
func customerOption(c customer.Offered) templates.Option {
	label := c.Name + " · " + c.Email
	return templates.Option{Value: c.ID.String() + " " + label, Text: label}
}

func currencies() []invoiceviews.Currency {
	var list []invoiceviews.Currency
	for _, code := range money.Currencies() {
		c, _ := money.ParseCurrency(code)
		list = append(list, invoiceviews.Currency{Code: code, Digits: int(c.Decimals())})
	}
	return list
}
