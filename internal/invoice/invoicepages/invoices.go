package invoicepages

import (
	"cmp"
	"net/http"
	"net/url"
	"strconv"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"onlyonce/internal/conflict"
	"onlyonce/internal/customer"
	"onlyonce/internal/file"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/document"
	"onlyonce/internal/invoice/excerpt"
	"onlyonce/internal/invoice/invoiceform"
	"onlyonce/internal/invoice/logo"
	"onlyonce/internal/people/settings"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/party"
	"onlyonce/internal/web"
	"onlyonce/templates"
	"onlyonce/templates/invoiceviews"
)

// mountInvoices mounts the resource of package invoice.
func (s *Pages) mountInvoices() {
	m := web.Resource[invoice.Invoice]{
		One: "invoice", Path: "/invoices", Tab: "All invoices", Table: invoice.Shown,
		Name:  func(i invoice.Invoice) string { return i.Number },
		Rules: invoice.Rules(), View: showInvoice,
		AsksPeople: []*conflict.Kind{&invoice.OpenChanged, &invoice.NumberAhead, &invoice.Unusual},
	}.Mount(s.site)
	s.Invoices = m
	web.Enter(m, web.Form[invoice.Invoice]{
		Page: s.invoiceForm, Fill: fillInvoice, Facts: invoiceFacts, Control: invoiceform.Control, Lines: invoiceform.LineTable(),
		Final: invoice.Final, Example: invoiceExample(),
	})
	draft := web.NewCommand(draftOfForm, invoice.Input.Draft)
	web.List(m, web.Listing[invoice.Summary]{
		Summary: "Invoices. A page may have fewer than limit, or none, even when there is a next_cursor.", Query: invoiceFilters(),
		View: func(i invoice.Summary) any { return excerpt.Summarize(i) }, External: invoice.Summaries,
		Page: s.invoiceList, Finder: s.invoiceFinder, Read: s.readInvoices, Headings: invoiceHeadings(), Cells: invoiceCells,
	})
	s.site.Read("/invoices/customers", s.customerChoices)
	web.Show(m, web.RecordPage[invoice.Invoice]{
		Summary: "One invoice.", Page: s.invoicePage, Changes: invoiceChanges, Beside: invoice.Postings, BesideText: postingText,
	})
	web.Download(m, "pdf", "application/pdf", "The invoice as a PDF file. A draft or a void invoice says so on each page.",
		s.invoicePDF)
	web.Stored(m, "logo", "The logo of the business on the invoice, or 404 without one.", logo.Rule(),
		func(inv invoice.Invoice) file.Stored { return inv.Seller.Logo })
	web.Download(m, "ubl", "application/xml", "The issued invoice as an e-invoice: UBL 2.1 with the terms of EN 16931.",
		func(_ *http.Request, inv invoice.Invoice) (web.File, error) {
			content, err := document.EInvoice(inv)
			return web.File{Name: document.EInvoiceName(inv), Content: content}, err
		}, &invoice.NotIssued, &document.Incomplete)
	web.Create(m, "Create an invoice. Leave number out to get the next one in the series, and due_date to get the one by "+
		"the payment terms of the customer, or else of the settings.", invoice.Create,
		invoiceform.AskAbout(draft, "/issue_date", s.unusualIssue), s.freshInvoice, &customer.Differs, &customer.Erased)
	web.Change(m, http.MethodPut,
		"Replace a draft. If left out, number stays as it is, and due_date follows from the payment terms.",
		invoice.Edit, invoiceform.AskAbout(draft, "/issue_date", s.movedIssue), &invoice.NotDraft, &customer.Differs, &customer.Erased)
	s.mountSteps(m)
	web.Redisplay(m, invoiceform.EditLines)
}

// draftOfForm parses the command of a form, and normalizes the numbers in the form.
func draftOfForm(r *http.Request) (invoice.Draft, error) {
	if billed := r.PostForm.Get(invoice.BilledField); billed != "" {
		r.PostForm.Set("customer_id", billed)
		r.PostForm.Del(invoice.BilledField)
	}
	in := invoiceform.WithoutBlankLines(invoiceform.Read(r.PostForm))
	if in.DueDate == r.PostForm.Get(invoiceviews.DueByTermsField) {
		in.DueDate = "" // follows the issue date
	}
	questions := invoiceform.ReadNumbers(in.Lines, in.Currency)
	invoiceform.SetLines(r.PostForm, in.Lines)
	draft, err := in.Draft()
	return draft, invoiceform.WithQuestions(err, questions)
}

// invoiceForm returns the page with the form of an invoice.
func (s *Pages) invoiceForm(r *http.Request, p templates.Page, f templates.Form) (templ.Component, error) {
	in := invoiceform.Read(f.Typed)
	if f.Notice != nil || len(f.Errors) > 0 {
		in = invoiceform.WithoutBlankLines(in)
	}
	is, err := settings.Of(r.Context(), s.site.Pool, web.Principal(r).Tenant)
	if err != nil {
		return nil, err
	}
	issued, err := date.Parse(in.IssueDate)
	if err != nil {
		issued = s.site.Today(r)
	}
	next, err := invoice.NextNumber(r.Context(), s.site.Pool, web.Principal(r).Tenant, issued.Year())
	if err != nil {
		return nil, err
	}
	closed, err := s.closedWith(r, issued)
	if err != nil {
		return nil, err
	}
	if original := f.Typed.Get(copyField); original != "" {
		f.Title = "Copy of " + original
	}
	form := invoiceviews.InvoiceForm{
		Form: f, NextNumber: next, NextYear: strconv.Itoa(issued.Year()), Number: in.Number,
		IssueDate: in.IssueDate, DueDate: in.DueDate, SuppliedFrom: in.SuppliedFrom, SuppliedTo: in.SuppliedTo,
		Currency: in.Currency, Notes: in.Notes,
		DueHint:    "Leave blank for " + party.DaysText(is.PaymentDays) + " after the issue date, or the customer's own terms.",
		Currencies: invoiceform.Currencies(issued, in.Currency),
		MaxLines:   invoice.MaxLines, Units: invoiceform.Units(), Treatments: invoiceform.Treatments(),
		SameEmailField: customer.SameEmailField,
		Prefills:       f.Version == 0 && !f.CameBack() && f.Typed.Get(copyField) == "",
	}
	if closed != (date.Date{}) {
		form.IssueHint = "The books are closed through " + closed.Display() + "."
	}
	chosen, err := invoiceform.OfferCustomers(r, s.site.Pool, &form, invoiceform.CustomerOption)
	if err != nil {
		return nil, err
	}
	if chosen.ID != uuid.Nil {
		followIssueDate(&form, issued, cmp.Or(chosen.PaymentDays, is.PaymentDays))
	}
	err = invoiceform.FillLines(r, s.site.Pool, &form, in, chosen.ID)
	return invoiceviews.InvoiceFormPage(p, form), err
}

// followIssueDate shows that the due date is the one by the payment terms, in days, as long as the user doesn't enter another.
func followIssueDate(form *invoiceviews.InvoiceForm, issued date.Date, terms string) {
	form.DueHint = "Leave blank for " + party.DaysText(terms) + " after the issue date."
	days, _ := strconv.Atoi(terms) // is checked
	due := issued.AddDays(days)
	follows := form.DueDate == due.String() || form.DueDate == form.Typed.Get(invoiceviews.DueByTermsField)
	if form.DueDate == "" || !follows || issued.Year() == date.LastEntryYear { // from when on a due date is required
		return
	}
	form.DueHint = party.DaysText(terms) + " after the issue date, by the payment terms, and follows both. A day that you enter stays."
	form.DueDate, form.DueByTerms, form.Terms = due.String(), due.String(), terms
}

// fillInvoice returns the form values of an existing invoice.
func fillInvoice(inv invoice.Invoice) url.Values {
	form := url.Values{
		"number": {inv.Number}, "customer_id": {invoiceform.CustomerOption(customer.Offered{
			ID: inv.Customer.ID, Name: inv.Customer.Name, Email: inv.Customer.Email,
		}).Value},
		"issue_date": {inv.IssueDate.String()}, "due_date": {inv.DueDate.String()},
		"currency": {inv.Currency.String()}, "notes": {inv.Notes}, "exemption_reason": {inv.Exemption},
	}
	for name, day := range map[string]date.Date{"supplied_from": inv.SuppliedFrom, "supplied_to": inv.SuppliedTo} {
		form.Set(name, "")
		if day != (date.Date{}) {
			form.Set(name, day.String())
		}
	}
	invoiceform.SetLines(form, invoiceform.LinesOf(inv))
	return form
}

// invoiceExample is a valid invoice with a new customer for the API.
func invoiceExample() invoice.Input {
	return invoice.Input{
		Customer:  &customer.Input{Email: "ada@example.com", Name: "Ada Lovelace"},
		IssueDate: "2026-01-21", DueDate: "2026-02-20", Currency: "EUR",
		Lines: []invoice.LineInput{{Description: "Design", Quantity: "2", UnitPrice: "50.00", TaxRate: "23"}},
	}
}
