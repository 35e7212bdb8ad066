package web

import (
	"net/http"
	"net/url"

	"github.com/a-h/templ"

	"onlyonce/internal/customer"
	"onlyonce/internal/invalid"
	"onlyonce/internal/invoice"
	"onlyonce/internal/record"
	"onlyonce/templates"
)

// customerPage shows a customer with their invoices.
func (s *Server) customerPage(
	m *mounted[customer.Customer], r *http.Request, p templates.Page, c customer.Customer,
) (templ.Component, error) {
	invoices, err := pageOf(r, func(r *http.Request, page record.Page) (record.List[invoice.Summary], error) {
		return invoice.List(r.Context(), s.pool, principal(r).Tenant, invoice.Filter{Customer: c.ID}, page)
	})
	if is[*invalid.Error](err) {
		return nil, errNotFound
	}
	if err != nil {
		return nil, err
	}
	balance, err := invoice.BalanceOf(r.Context(), s.pool, principal(r).Tenant, c.ID, today())
	if err != nil {
		return nil, err
	}
	view := m.recordView(r, c)
	view.New = templates.Link{Text: "New invoice", Href: "/invoices/new?customer=" + c.ID.String()}
	of := url.Values{"customer_id": {c.ID.String()}}
	return templates.CustomerPage(p, view, templates.CustomerInvoices{
		Rows: invoiceRows(invoices.Rows), Pager: pagerOf(r, invoices), Href: "/invoices?" + of.Encode(),
		Balance: standing(balance, of, false),
	}), nil
}
