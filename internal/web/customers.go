package web

import (
	"net/http"
	"time"

	"github.com/a-h/templ"

	"onlyonce/internal/customer"
	"onlyonce/internal/party"
	"onlyonce/internal/record"
	"onlyonce/templates"
)

// customers is the resource of package customer.
func (s *Server) customers(pages, api router) {
	m := mount(s, pages, api, resource[customer.Customer]{
		one: "customer", many: "customers", table: customer.Table,
		name: func(c customer.Customer) string { return c.Name },
		fields: []templates.Field{
			{Name: "email", Value: "Email"}, {Name: "name", Value: "Name"}, {Name: "address", Value: "Address"},
			{Name: "country", Value: "Country"}, {Name: "tax_id", Value: "Tax ID"}, {Name: "payment_days", Value: "Payment terms in days"},
		},
		readable: map[string]func(string) string{"country": party.CountryName},
		form: func(_ *http.Request, p templates.Page, f templates.Form) (templ.Component, error) {
			return templates.CustomerForm(p, f, countries()), nil
		},
		shown: func(c customer.Customer) []templates.Fact {
			facts := append([]templates.Fact{{Label: "Email", Value: c.Email, Href: "mailto:" + c.Email}}, detailFacts(c.Details, "")...)
			facts = append(facts, templates.Fact{Label: "Payment terms", Value: daysText(c.PaymentDays)},
				templates.Fact{Label: "Customer since", Value: day(c.CreatedAt)})
			return knownFacts(facts...)
		},
		archived: func(c customer.Customer) time.Time { return c.ArchivedAt },
		archive:  "Archived customers are not offered any more. What they have stays.",
		rules:    customer.Rules(),
		example:  customer.Input{Email: "grace@example.com", Name: "Grace Hopper"},
	})
	draft := read(m, customer.Input.Draft)

	lists(m, listing[customer.Customer]{
		summary: "Customers, newest first.",
		query: []parameter{
			{name: "archived", meaning: "Those that are archived, in place of the others.", values: []string{"1"}},
			{name: "q", meaning: "Only those whose name or email has words that begin like these."},
		},
		read: func(r *http.Request, page record.Page) (record.List[customer.Customer], error) {
			search, err := searched(r)
			if err != nil {
				return record.List[customer.Customer]{}, err
			}
			return customer.List(r.Context(), s.pool, principal(r).Tenant, customer.Filter{Search: search, Archived: archivedOnly(r)}, page)
		},
		finder:  searchFinder("customers", "Name or email"),
		columns: []templates.Column{{Label: "Name", Class: "name"}, {Label: "Email", Class: "name"}, {Label: "Since", Class: "date"}},
		row:     func(c customer.Customer) []string { return []string{c.Name, c.Email, day(c.CreatedAt)} },
		empty:   "A customer is known by their email, and added once.",
	})
	// begin invoices
	m.detailed = func(r *http.Request, p templates.Page, c customer.Customer) (templ.Component, error) {
		return s.customerPage(m, r, p, c)
	}
	// end invoices
	shows(m, "One customer.", nil)
	creates(m, "Create a customer, or get the existing one with this email (200).", customer.Upsert, draft, nil)
	changes(m, http.MethodPut, "Replace what is known of a customer.", customer.Edit, draft)
	transitions(m, "archive", "archived", "Take a customer out of lists and choices.", customer.Archive, nothing())
	transitions(m, "restore", "restored", "Bring an archived customer back.", customer.Restore, nothing())
}
