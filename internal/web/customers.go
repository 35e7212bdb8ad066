package web

import (
	"net/http"

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
		rules:  customer.Rules(),
	})
	draft := read(m, customer.Input.Draft)

	lists(m, listing[customer.Customer]{
		summary: "Customers, newest first; with archived=1, those that are archived.", query: "&archived=",
		read: s.readCustomers, page: customerList,
	})
	shows(m, "One customer.", func(r *http.Request, p templates.Page, c customer.Customer) (templ.Component, error) {
		return s.customerPage(m, r, p, c)
	})
	creates(m, "Create a customer, or get the existing one with this email (200).", customer.Upsert, draft, nil)
	changes(m, http.MethodPut, "Replace what is known of a customer.", customer.Edit, draft)
	transitions(m, "archive", "archived", "Take a customer out of lists and choices.", customer.Archive, nothing())
	transitions(m, "restore", "restored", "Bring an archived customer back.", customer.Restore, nothing())
}

func (s *Server) readCustomers(r *http.Request, page record.Page) ([]customer.Customer, error) {
	return customer.List(r.Context(), s.pool, principal(r).Tenant, page, r.URL.Query().Get("archived") == "1")
}

func customerList(r *http.Request, p templates.Page, found []customer.Customer, pages templates.Pager) templ.Component {
	list := templates.CustomerList{Pager: pages, Archived: r.URL.Query().Get("archived") == "1"}
	for _, c := range found {
		list.Rows = append(list.Rows, templates.CustomerRow{
			Href: "/customers/" + c.ID.String(), Name: c.Name, Email: c.Email, Since: day(c.CreatedAt),
		})
	}
	return templates.CustomerListPage(p, list)
}

func (s *Server) customerPage(
	m *mounted[customer.Customer], r *http.Request, p templates.Page, c customer.Customer,
) (templ.Component, error) {
	invoices, pages, err := pageOf(r, func(r *http.Request, page record.Page) ([]invoice.Summary, error) {
		return invoice.ListOf(r.Context(), s.pool, principal(r).Tenant, c.ID, page)
	})
	if err != nil {
		return nil, err
	}
	view := templates.Customer{
		Pager: pages.pager(r), Name: c.Name, Email: c.Email, Since: day(c.CreatedAt), Invoices: invoiceRows(invoices),
		EditHref: m.href(c.ID) + "/edit", NewInvoiceHref: "/invoices/new?customer=" + c.ID.String(),
		Action: m.action(r, c.ID, "archive", "Archiving…"),
	}
	if !c.ArchivedAt.IsZero() {
		view.Archived, view.Action = day(c.ArchivedAt), m.action(r, c.ID, "restore", "Restoring…")
	}
	return templates.CustomerPage(p, view), nil
}
