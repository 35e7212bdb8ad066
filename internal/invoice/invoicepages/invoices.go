package invoicepages

import (
	"net/http"
	"slices"
	"strconv"

	"github.com/a-h/templ"

	"onlyonce/internal/conflict"
	"onlyonce/internal/customer"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/document"
	"onlyonce/internal/record"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/party"
	"onlyonce/internal/web"
	"onlyonce/templates"
	"onlyonce/templates/invoiceviews"
)

// mountInvoices mounts the resource of package invoice.
func (s *Pages) mountInvoices() {
	m := web.Resource[invoice.Invoice]{
		One: "invoice", Path: "/invoices", Tab: "All invoices", Table: invoice.Table,
		Name:  func(i invoice.Invoice) string { return i.Number },
		Rules: invoice.Rules(), View: showInvoice,
		AsksPeople: []*conflict.Kind{&invoice.OpenChanged, &invoice.NumberAhead, &invoice.UnusualDate},
	}.Mount(s.Site)
	s.invoices = m
	m.Enter(web.Form[invoice.Invoice]{
		Page: s.invoiceForm, Fill: fillInvoice, Facts: invoiceFacts, Control: invoiceControl, RepeatedFields: lineFields,
		Final: invoice.Final, Example: invoiceExample(),
	})
	draft := web.NewCommand(draftOfForm, invoice.Input.Draft)
	web.List(m, web.Listing[invoice.Summary]{
		Summary: "Invoices. A page may have fewer than limit, or none, even when there is a next_cursor.", Query: invoiceFilters(),
		View: showSummary, External: invoice.Summaries, Page: s.invoiceList, Finder: s.invoiceFinder,
		Read: func(r *http.Request, page record.Page) (record.List[invoice.Summary], error) {
			filter, err := invoiceFilter(r)
			if err != nil {
				return record.List[invoice.Summary]{}, err
			}
			return invoice.List(r.Context(), s.Pool, web.Principal(r).Tenant, filter, page)
		},
	})
	s.Read("/invoices/customers", s.customerChoices)
	web.Show(m, web.RecordPage[invoice.Invoice]{
		Summary: "One invoice.", Page: s.invoicePage, Changes: invoiceChanges, Beside: invoice.Postings, BesideText: postingText,
	})
	web.Download(m, "pdf", "application/pdf", "The invoice as a PDF file. A draft or a void invoice says so on each page.",
		s.documents.ofInvoice)
	web.Download(m, "ubl", "application/xml", "The issued invoice as an e-invoice: UBL 2.1 with the terms of EN 16931.", invoiceUBL,
		&invoice.NotIssued)
	web.Create(m, "Create an invoice. Leave number out to get the next one in the series, and due_date to get the one by "+
		"the payment terms of the customer, or else of the settings.", invoice.Create,
		askingAbout(draft, "/issue_date", s.unusualIssue), s.freshInvoice, &customer.Differs)
	web.Change(m, http.MethodPut,
		"Replace a draft. If left out, number stays as it is, and due_date follows from the payment terms.",
		invoice.Edit, askingAbout(draft, "/issue_date", s.movedIssue), &invoice.NotDraft, &customer.Differs)
	s.mountSteps(m)
	web.Redisplay(m, editLines)
}

func (s *Pages) invoiceList(
	r *http.Request, p templates.Page, found []invoice.Summary, finder templates.Finder,
) (templ.Component, error) {
	tenant := web.Principal(r).Tenant
	sums, err := invoice.Standing(r.Context(), s.Pool, tenant, tenant, date.Today())
	if err != nil {
		return nil, err
	}
	return invoiceviews.InvoiceListPage(p, invoiceviews.InvoiceList{
		NewHref: web.FormHref(r, "/invoices/new"),
		Finder:  finder, Rows: invoiceRows(found), Standing: standing(sums, nil, true),
	}), nil
}

func invoiceRows(found []invoice.Summary) []invoiceviews.InvoiceRow {
	rows := make([]invoiceviews.InvoiceRow, 0, len(found))
	for _, i := range found {
		row := invoiceviews.InvoiceRow{
			Href: "/invoices/" + i.ID.String(), Number: i.Number, Customer: i.Customer.Name,
			Status:    shownStatus(i.Status, i.DueDate, i.Open < i.Total),
			IssueDate: web.DateText(i.IssueDate), DueDate: web.DateText(i.DueDate), Total: web.AmountText(i.Currency, i.Total),
			MailFailed: i.MailFailed,
		}
		if row.Status == "overdue" {
			row.Late = party.DaysText(strconv.Itoa(i.DueDate.DaysUntil(date.Today())))
		}
		if slices.Contains(invoice.OpenStates(), i.Status) {
			row.Open = web.AmountText(i.Currency, i.Open)
		}
		rows = append(rows, row)
	}
	return rows
}

// seller returns the view of the business that bills, for an invoice and its credit notes.
func seller(inv invoice.Invoice) invoiceviews.Party {
	is := inv.Seller
	return invoiceviews.Party{
		Name: is.Name, Email: is.Email, Address: document.AddressLines(is.Details), TaxID: document.TaxText(is.Details),
	}
}

// buyer returns the view of the customer.
func buyer(inv invoice.Invoice) invoiceviews.Party {
	is := inv.Customer
	return invoiceviews.Party{
		Name: is.Name, Href: "/customers/" + is.ID.String(), Email: is.Email,
		Address: document.AddressLines(is.Details), TaxID: document.TaxText(is.Details),
	}
}

func (s *Pages) invoicePage(r *http.Request, p templates.Page, inv invoice.Invoice) (templ.Component, error) {
	totals, err := invoice.TotalsOf(inv.Lines)
	if err != nil {
		return nil, err
	}
	money := inv.Currency.Display
	view := invoiceviews.Invoice{
		Number: inv.Number, Status: shownStatus(inv.Status, inv.DueDate, inv.Open < inv.Total),
		Seller: seller(inv), Buyer: buyer(inv),
		IssueDate: web.DateText(inv.IssueDate), DueDate: web.DateText(inv.DueDate), Currency: inv.Currency.String(),
		Subtotal: money(inv.Subtotal), Total: money(inv.Total), Notes: inv.Notes,
		CopyHref:   web.FormHref(r, "/invoices/new?copy="+inv.ID.String()),
		RepeatHref: web.FormHref(r, "/schedules/new?invoice="+inv.ID.String()),
		PDFHref:    s.invoices.URL(inv.ID) + "/pdf", External: web.ExternalFact(inv.External),
	}
	if inv.Status == invoice.StatusDraft {
		view.EditHref = web.FormHref(r, s.invoices.URL(inv.ID)+"/edit")
		issue := s.invoices.Asked(r, inv.ID, "issue", nil)
		issue.Text, issue.Primary = "Issue invoice", true
		view.Actions = append(view.Actions, issue)
	}
	if inv.Status != invoice.StatusDraft && inv.Status != invoice.StatusVoid {
		view.Open = money(inv.Open)
		if inv.Paid > 0 || inv.Status == invoice.StatusPaid { // a total of zero is paid from the start
			view.Paid = money(inv.Paid)
		}
		if inv.Credited > 0 {
			view.Credited = money(inv.Credited)
		}
	}
	if inv.Open > 0 && view.Open != "" {
		view.PayHref = web.FormHref(r, s.invoices.URL(inv.ID)+"/payments/new")
		view.CreditHref = web.FormHref(r, s.invoices.URL(inv.ID)+"/credit-notes/new")
	}
	if view.Ledger, err = s.ledger(r, inv); err != nil {
		return nil, err
	}
	if view.Mails, err = s.mailRows(r, inv); err != nil {
		return nil, err
	}
	if view.Mentions, err = s.mentions(r, inv); err != nil {
		return nil, err
	}
	if inv.Status != invoice.StatusVoid && inv.Paid == 0 && inv.Credited == 0 {
		view.VoidHref = s.invoices.Asked(r, inv.ID, "void", nil).Href
	}
	for _, f := range document.Payment(inv) {
		view.Payment = append(view.Payment, templates.Fact{Label: f.Label, Value: f.Value})
	}
	for _, l := range inv.Lines {
		view.Lines = append(view.Lines, invoiceviews.InvoiceLine{
			Description: l.Description, Quantity: l.Quantity.String(), UnitPrice: money(l.UnitPrice),
			TaxRate: l.TaxRate.String() + "%", Amount: money(l.Net),
		})
	}
	for _, g := range totals.Groups {
		view.Taxes = append(view.Taxes, invoiceviews.TaxLine{Rate: g.Rate.String() + "%", Net: money(g.Net), Amount: money(g.Tax)})
	}
	return invoiceviews.InvoicePage(p, view), nil
}

// isOverdue reports whether an invoice is overdue on the current day in UTC.
func isOverdue(status string, due date.Date) bool {
	return invoice.IsOverdue(status, due, date.Today())
}

// shownStatus returns the status for users. lessOpen is set if the open amount is less than the total.
func shownStatus(status string, due date.Date, lessOpen bool) string {
	switch {
	case isOverdue(status, due):
		return "overdue"
	case status == invoice.StatusIssued && lessOpen:
		return "partially_credited"
	}
	return status
}

// invoiceExample is a valid invoice with a new customer for the API.
func invoiceExample() invoice.Input {
	return invoice.Input{
		Customer:  &customer.Input{Email: "ada@example.com", Name: "Ada Lovelace"},
		IssueDate: "2026-11-21", DueDate: "2026-12-21", Currency: "EUR",
		Lines: []invoice.LineInput{{Description: "Design", Quantity: "2", UnitPrice: "50.00", TaxRate: "23"}},
	}
}
