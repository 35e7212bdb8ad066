package web

import (
	"net/http"
	"reflect"
	"time"

	"github.com/a-h/templ"

	"onlyonce/internal/conflict"
	"onlyonce/internal/customer"
	"onlyonce/internal/date"
	"onlyonce/internal/document"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/invoice"
	"onlyonce/internal/record"
	"onlyonce/templates"
)

// invoices is the resource of package invoice.
func (s *Server) invoices(pages, api router, documents *documents) {
	m := mount(s, pages, api, resource[invoice.Invoice]{
		one: "invoice", many: "invoices", table: invoice.Table,
		name: func(i invoice.Invoice) string { return i.Number },
		json: showInvoice, form: s.invoiceForm, fill: fillInvoice, facts: invoiceFacts, control: invoiceControl, severals: lineFields,
		told: invoiceChanges, final: invoice.Final,
		rules: invoice.Rules(), asked: []*conflict.Kind{&invoice.LooksLikeRepeat, &invoice.OpenChanged}, example: invoiceExample(),
	})
	draft := command[invoice.Draft]{form: draftOfForm, json: draftOfJSON, input: reflect.TypeFor[invoice.Input]()}
	lists(m, listing[invoice.Summary]{
		summary: "Invoices. A page may have less than limit, or none, while next_cursor leads on.", query: invoiceFilters(),
		json: showSummary, page: s.invoiceList, finder: s.invoiceFinder,
		read: func(r *http.Request, page record.Page) (record.List[invoice.Summary], error) {
			filter, err := invoiceFilter(r)
			if err != nil {
				return record.List[invoice.Summary]{}, err
			}
			return invoice.List(r.Context(), s.pool, principal(r).Tenant, filter, page)
		},
	})
	shows(m, "One invoice.", func(r *http.Request, p templates.Page, inv invoice.Invoice) (templ.Component, error) {
		return s.invoicePage(m, r, p, inv)
	})
	reads(m, "pdf", "application/pdf", "The invoice as a PDF file. A draft or a void invoice says so on each page.",
		documents.ofInvoice)
	reads(m, "ubl", "application/xml", "The issued invoice as an e-invoice: UBL 2.1 with the terms of EN 16931.", invoiceUBL,
		&invoice.NotIssued)
	creates(m, "Create an invoice. Leave number out to get the next one in the series, and due_date to get the one by "+
		"the payment terms of the customer, or else of the settings.", invoice.Create,
		draft, s.freshInvoice)
	changes(m, http.MethodPut, "Replace a draft. A number that is left out stays as it is, and a due_date is the one by the payment terms.",
		invoice.Edit, draft, &invoice.NotDraft)
	transitions(m, "issue", "issued", "Issue a draft. From then on it does not change.", invoice.Issue, nothing(),
		&invoice.NotDraft)
	transitions(m, "void", "voided", "Void a draft or an issued invoice. It keeps its number.", invoice.Void, nothing(),
		&invoice.HasPayments, &invoice.HasCreditNotes)
	const why = "shows the form again with another line; nothing is stored"
	pages.natural("/invoices/form", why, func(w http.ResponseWriter, r *http.Request) error {
		return m.editLines(w, r, idempotency.Create, creating(m.one))
	})
	pages.natural("/invoices/{id}/form", why, func(w http.ResponseWriter, r *http.Request) error {
		return m.editLines(w, r, idempotency.Change, editing(m.one))
	})
}

// draftOfJSON reads the command of a program. It has its key, so it is told possible_duplicate_of and not asked.
func draftOfJSON(r *http.Request) (invoice.Draft, error) {
	var in invoice.Input
	if err := decodeJSON(r, &in); err != nil {
		return invoice.Draft{}, err
	}
	in.AllowRepeat = true
	return in.Draft()
}

func (s *Server) invoiceList(
	r *http.Request, p templates.Page, found []invoice.Summary, finder templates.Finder,
) (templ.Component, error) {
	sums, err := invoice.Standing(r.Context(), s.pool, principal(r).Tenant, today())
	if err != nil {
		return nil, err
	}
	return templates.InvoiceListPage(p, templates.InvoiceList{
		Finder: finder, Rows: invoiceRows(found), Standing: standing(sums, nil, true),
	}), nil
}

func invoiceRows(found []invoice.Summary) []templates.InvoiceRow {
	rows := make([]templates.InvoiceRow, 0, len(found))
	for _, i := range found {
		rows = append(rows, templates.InvoiceRow{
			Href: "/invoices/" + i.ID.String(), Number: i.Number, Customer: i.Customer.Name, Status: shownStatus(i.Status, i.DueDate),
			IssueDate: dayText(i.IssueDate), DueDate: dayText(i.DueDate),
			Total: i.Currency.Display(i.Total) + " " + i.Currency.String(),
		})
	}
	return rows
}

// seller is the business that bills, as an invoice and its credit notes name it.
func seller(inv invoice.Invoice) templates.Party {
	is := inv.Seller
	return templates.Party{Name: is.Name, Address: document.AddressLines(is.Details), TaxID: document.TaxText(is.Details)}
}

// buyer is the customer, likewise.
func buyer(inv invoice.Invoice) templates.Party {
	is := inv.Customer
	return templates.Party{
		Name: is.Name, Href: "/customers/" + is.ID.String(), Email: is.Email,
		Address: document.AddressLines(is.Details), TaxID: document.TaxText(is.Details),
	}
}

func (s *Server) invoicePage(
	m *mounted[invoice.Invoice], r *http.Request, p templates.Page, inv invoice.Invoice,
) (templ.Component, error) {
	totals, err := invoice.TotalsOf(inv.Lines)
	if err != nil {
		return nil, err
	}
	money := inv.Currency.Display
	view := templates.Invoice{
		Number: inv.Number, Status: shownStatus(inv.Status, inv.DueDate),
		Seller: seller(inv), Buyer: buyer(inv),
		IssueDate: dayText(inv.IssueDate), DueDate: dayText(inv.DueDate), Currency: inv.Currency.String(),
		Subtotal: money(inv.Subtotal), Total: money(inv.Total), Notes: inv.Notes,
		CopyHref: "/invoices/new?copy=" + inv.ID.String(), PDFHref: m.href(inv.ID) + "/pdf",
	}
	if inv.Status == invoice.StatusDraft {
		view.EditHref = m.href(inv.ID) + "/edit"
		issue := m.action(r, inv.ID, "issue", "Issuing…")
		issue.Text, issue.Primary = "Issue invoice", true
		view.Actions = append(view.Actions, issue)
	}
	if inv.Status != invoice.StatusDraft && inv.Status != invoice.StatusVoid {
		view.Paid, view.Open = money(inv.Paid), money(inv.Open)
		if inv.Credited > 0 {
			view.Credited = money(inv.Credited)
		}
	}
	if inv.Open > 0 && view.Paid != "" {
		view.PayHref, view.CreditHref = m.href(inv.ID)+"/payments/new", m.href(inv.ID)+"/credit-notes/new"
	}
	if view.Ledger, err = s.ledger(r, inv); err != nil {
		return nil, err
	}
	if view.Mails, err = s.mailRows(r, inv); err != nil {
		return nil, err
	}
	if inv.Status != invoice.StatusVoid && inv.Paid == 0 && inv.Credited == 0 {
		view.Actions = append(view.Actions, m.action(r, inv.ID, "void", "Voiding…"))
	}
	for _, f := range document.Payment(inv) {
		view.Payment = append(view.Payment, templates.Fact{Label: f.Label, Value: f.Value})
	}
	for _, l := range inv.Lines {
		view.Lines = append(view.Lines, templates.InvoiceLine{
			Description: l.Description, Quantity: l.Quantity.String(), UnitPrice: money(l.UnitPrice),
			TaxRate: l.TaxRate.String() + "%", Amount: money(l.Net),
		})
	}
	for _, g := range totals.Groups {
		view.Taxes = append(view.Taxes, templates.TaxLine{Rate: g.Rate.String() + "%", Net: money(g.Net), Amount: money(g.Tax)})
	}
	return templates.InvoicePage(p, view), nil
}

// isOverdue goes by the day in UTC.
func isOverdue(status string, due date.Date) bool {
	return invoice.IsOverdue(status, due, today())
}

// today is the day in UTC.
func today() date.Date { return date.Of(time.Now().UTC()) }

// shownStatus is the state of an invoice as people care about it.
func shownStatus(status string, due date.Date) string {
	if isOverdue(status, due) {
		return "overdue"
	}
	return status
}

// invoiceExample is an invoice of a new customer, which the API takes as it is.
func invoiceExample() invoice.Input {
	return invoice.Input{
		Customer:  &customer.Input{Email: "ada@example.com", Name: "Ada Lovelace"},
		IssueDate: "2026-11-21", DueDate: "2026-12-21", Currency: "EUR",
		Lines: []invoice.LineInput{{Description: "Design", Quantity: "2", UnitPrice: "50.00", TaxRate: "23"}},
	}
}

// invoiceOf finds the invoice that the path names.
func (s *Server) invoiceOf(r *http.Request) (invoice.Invoice, error) {
	return recordOfPath(s, r, invoice.Table)
}
