package web

import (
	"net/http"

	"github.com/google/uuid"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/invoice"
	"onlyonce/templates"
)

func (s *Server) listInvoices(w http.ResponseWriter, r *http.Request) error {
	before, limit, err := listParameters(r)
	if err != nil {
		return errNotFound
	}
	found, next, err := pageOf(limit, func(limit int) ([]invoice.Summary, error) {
		return invoice.List(r.Context(), s.pool, principal(r).Tenant, before, limit)
	})
	if err != nil {
		return err
	}
	var list templates.InvoiceList
	list.Rows = invoiceRows(found)
	if next {
		list.NextHref = "/invoices?cursor=" + found[len(found)-1].ID.String()
	}
	if before != uuid.Max {
		list.FirstHref = "/invoices"
	}
	return s.render(w, r, http.StatusOK, templates.InvoiceListPage(s.page(w, r), list))
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

func (s *Server) showInvoice(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r)
	if err != nil {
		return err
	}
	inv, err := invoice.Find(r.Context(), s.pool, principal(r).Tenant, id)
	if err != nil {
		return err
	}
	totals, err := invoice.TotalsOf(inv.Lines)
	if err != nil {
		return err
	}
	shared := s.page(w, r)
	switch shared.Flash {
	case flashCreated:
		shared.Flash = "Invoice " + inv.Number + " created"
	case flashReplayed:
		shared.Flash = "Invoice created. We ignored the duplicate submission and kept your first request."
	}
	money := inv.Currency.Display
	view := templates.Invoice{
		Number: inv.Number, Status: inv.Status, Issuer: principal(r).TenantName,
		CustomerName: inv.Customer.Name, CustomerEmail: inv.Customer.Email, CustomerHref: "/customers/" + inv.Customer.ID.String(),
		IssueDate: day(inv.IssueDate.Time()), DueDate: day(inv.DueDate.Time()), Currency: inv.Currency.String(),
		Subtotal: money(inv.Subtotal), Total: money(inv.Total), Notes: inv.Notes,
		CopyHref: "/invoices/new?copy=" + id.String(), CreatedAt: inv.CreatedAt.UTC().Format("2 Jan 2006, 15:04:05 UTC"),
	}
	history, err := idempotency.History(r.Context(), s.pool, principal(r).Tenant, id, 1)
	if err != nil {
		return err
	}
	if len(history) > 0 {
		view.Key = history[0].Key
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
	return s.render(w, r, http.StatusOK, templates.InvoicePage(shared, view))
}
