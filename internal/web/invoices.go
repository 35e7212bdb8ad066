package web

import (
	"net/http"

	"github.com/a-h/templ"

	"onlyonce/internal/conflict"
	"onlyonce/internal/invoice"
	"onlyonce/internal/record"
	"onlyonce/templates"
)

// invoices is the resource of package invoice.
func (s *Server) invoices(pages, api router) {
	m := mount(s, pages, api, resource[invoice.Invoice]{
		one: "invoice", many: "invoices", table: invoice.Table,
		name: func(i invoice.Invoice) string { return i.Number },
		json: showInvoice, form: s.invoiceForm, facts: invoiceFacts, control: invoiceControl, severals: lineFields,
		rules: invoice.Rules(), conflicts: []*conflict.Kind{&invoice.LooksLikeRepeat}, example: invoiceExample,
	})
	lists(m, listing[invoice.Summary]{
		summary: "Invoices, newest first.", json: showSummary, page: invoiceList,
		read: func(r *http.Request, page record.Page) ([]invoice.Summary, error) {
			return invoice.List(r.Context(), s.pool, principal(r).Tenant, page)
		},
	})
	shows(m, "One invoice.", s.invoicePage)
	creates(m, "Create an invoice. Leave number out to get the next one in the series.", invoice.Create,
		command[invoice.Draft]{form: draftOfForm, json: draftOfJSON}, s.freshInvoice)
	pages.natural("/invoices/form", "shows the form again with another line; nothing is stored", m.editLines)
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

func invoiceList(_ *http.Request, p templates.Page, found []invoice.Summary, pages templates.Pager) templ.Component {
	return templates.InvoiceListPage(p, templates.InvoiceList{Pager: pages, Rows: invoiceRows(found)})
}

func invoiceRows(found []invoice.Summary) []templates.InvoiceRow {
	rows := make([]templates.InvoiceRow, 0, len(found))
	for _, i := range found {
		rows = append(rows, templates.InvoiceRow{
			Href: "/invoices/" + i.ID.String(), Number: i.Number, Customer: i.CustomerName, Status: i.Status,
			IssueDate: day(i.IssueDate.Time()), DueDate: day(i.DueDate.Time()),
			Total: i.Currency.Display(i.Total) + " " + i.Currency.String(),
		})
	}
	return rows
}

func (s *Server) invoicePage(r *http.Request, p templates.Page, inv invoice.Invoice) (templ.Component, error) {
	totals, err := invoice.TotalsOf(inv.Lines)
	if err != nil {
		return nil, err
	}
	money := inv.Currency.Display
	view := templates.Invoice{
		Number: inv.Number, Status: inv.Status, Issuer: principal(r).TenantName,
		CustomerName: inv.Customer.Name, CustomerEmail: inv.Customer.Email, CustomerHref: "/customers/" + inv.Customer.ID.String(),
		IssueDate: day(inv.IssueDate.Time()), DueDate: day(inv.DueDate.Time()), Currency: inv.Currency.String(),
		Subtotal: money(inv.Subtotal), Total: money(inv.Total), Notes: inv.Notes,
		CopyHref: "/invoices/new?copy=" + inv.ID.String(),
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

func invoiceExample(address string) string {
	return `curl '` + address + `/api/v1/invoices' \
  -H 'Authorization: Bearer oo_demo_acme' -H 'Content-Type: application/json' \
  -H 'Idempotency-Key: 6f1c2f5e-6c0e-4b7e-9d39-0a0d6f9f7c11' \
  -d '{"customer": {"email": "ada@example.com", "name": "Ada Lovelace"},
       "issue_date": "2026-11-21", "due_date": "2026-12-21", "currency": "EUR",
       "lines": [{"description": "Design", "quantity": "2", "unit_price": "50.00", "tax_rate": "23"}]}'`
}
