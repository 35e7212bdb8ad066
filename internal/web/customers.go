package web

import (
	"net/http"
	"time"

	"github.com/a-h/templ"

	"onlyonce/internal/customer"
	"onlyonce/internal/invoice"
	"onlyonce/internal/record"
	"onlyonce/templates"
)

// customers is the resource of package customer.
func (s *Server) customers(pages, api router) {
	m := mount(s, pages, api, resource[customer.Customer]{
		one: "customer", many: "customers", table: customer.Table,
		name:   func(c customer.Customer) string { return c.Name },
		fields: []templates.Field{{Name: "email", Value: "Email"}, {Name: "name", Value: "Name"}},
		form:   plainForm(templates.CustomerForm),
		shown: func(c customer.Customer) []templates.Fact {
			return []templates.Fact{
				{Label: "Email", Value: c.Email, Href: "mailto:" + c.Email}, {Label: "Customer since", Value: day(c.CreatedAt)},
			}
		},
		archived: func(c customer.Customer) time.Time { return c.ArchivedAt },
		archive:  "Archived customers are not offered for new invoices, and keep the old ones.",
		rules:    customer.Rules(),
	})
	draft := read(m, customer.Input.Draft)

	lists(m, listing[customer.Customer]{
		summary: "Customers, newest first; with archived=1, those that are archived.", query: "&archived=",
		read: func(r *http.Request, page record.Page) ([]customer.Customer, error) {
			return customer.List(r.Context(), s.pool, principal(r).Tenant, page, archivedOnly(r))
		},
		columns: []templates.Column{{Label: "Name", Class: "name"}, {Label: "Email", Class: "name"}, {Label: "Since", Class: "date"}},
		row:     func(c customer.Customer) []string { return []string{c.Name, c.Email, day(c.CreatedAt)} },
		empty:   "Add one here, or create an invoice: its customer is added with it.",
	})
	shows(m, "One customer.", func(r *http.Request, p templates.Page, c customer.Customer) (templ.Component, error) {
		return s.customerPage(m, r, p, c)
	})
	creates(m, "Create a customer, or get the existing one with this email (200).", customer.Upsert, draft, nil)
	changes(m, http.MethodPut, "Replace what is known of a customer.", customer.Edit, draft)
	transitions(m, "archive", "archived", "Take a customer out of lists and choices.", customer.Archive, nothing())
	transitions(m, "restore", "restored", "Bring an archived customer back.", customer.Restore, nothing())
}

// customerPage shows a customer with their invoices.
func (s *Server) customerPage(
	m *mounted[customer.Customer], r *http.Request, p templates.Page, c customer.Customer,
) (templ.Component, error) {
	invoices, pages, err := pageOf(r, func(r *http.Request, page record.Page) ([]invoice.Summary, error) {
		return invoice.ListOf(r.Context(), s.pool, principal(r).Tenant, c.ID, page)
	})
	if err != nil {
		return nil, err
	}
	view := m.recordView(r, c)
	view.New = templates.Link{Text: "New invoice", Href: "/invoices/new?customer=" + c.ID.String()}
	return templates.CustomerPage(p, view, invoiceRows(invoices), pages.pager(r)), nil
}
