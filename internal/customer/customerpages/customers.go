// Package customerpages has the pages and the API of customers.
package customerpages

import (
	"net/http"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"onlyonce/internal/customer"
	"onlyonce/internal/customer/duplicate"
	"onlyonce/internal/record"
	"onlyonce/internal/value/party"
	"onlyonce/internal/web"
	"onlyonce/templates"
	"onlyonce/templates/customerviews"
)

// Section returns a part that another room adds to a customer's page, below the facts. It may return [web.ErrNotFound].
type Section func(*http.Request, customer.Customer, *templates.RecordView) (templ.Component, error)

// Mount mounts the customers. Other rooms add sections to the page of each customer.
func Mount(s *web.Site, sections ...Section) {
	m := web.Resource[customer.Customer]{
		One: "customer", Path: "/customers", Tab: "All customers", Table: customer.Table,
		Name:  customer.Name,
		Rules: customer.Rules(),
	}.Mount(s)
	draft := web.NewForm(m, customer.Input.Draft, web.Form[customer.Customer]{
		Fields: []templates.Field{
			{Name: "email", Value: "Email"}, {Name: "name", Value: "Name"}, {Name: "address", Value: "Address"},
			{Name: "country", Value: "Country"}, {Name: "tax_id", Value: "Tax ID"}, {Name: "contact", Value: "Contact"},
			{Name: "reference", Value: "Reference"}, {Name: "payment_days", Value: "Payment terms in days"},
			{Name: "copies_to", Value: "Copies to"},
		},
		Readable: map[string]func(string) string{"country": party.CountryName},
		Page: func(_ *http.Request, p templates.Page, f templates.Form) (templ.Component, error) {
			return customerviews.CustomerForm(p, f, web.Countries(), web.TaxHint(f), customer.SameEmailField), nil
		},
		Final:   customer.Final,
		Example: customer.Input{Email: "grace@example.com", Name: "Grace Hopper"},
	})
	web.List(m, web.Listing[customer.Customer]{
		Summary: "Customers. A merged customer's URL leads to the one that stayed.",
		Query: []web.Parameter{
			{Name: templates.ArchivedField, Meaning: "Archived customers instead of the active ones.", Values: []string{"1"}},
			{Name: "q", Meaning: "Only customers whose name, email, tax ID, contact, reference or address has words " +
				"that begin with these."},
		},
		Read: func(r *http.Request, page record.Page) (record.List[customer.Customer], error) {
			search, err := web.Searched(r)
			if err != nil {
				return record.List[customer.Customer]{}, err
			}
			filter := customer.Filter{Search: search, Archived: web.ArchivedOnly(r), Sort: r.URL.Query().Get(templates.SortField)}
			return customer.List(r.Context(), s.Pool, web.Principal(r).Tenant, filter, page)
		},
		External: customer.Table,
		Finder:   web.SearchFinder("customers", "Name, email or tax ID"),
		Columns: []templates.Column{
			{Label: "Name", Class: "name", Sort: "name"}, {Label: "Email", Class: "name"}, {Label: "Since", Class: "date"},
		},
		Row: func(r *http.Request, c customer.Customer) []string {
			return []string{c.Name, c.Email, web.Day(r, c.CreatedAt)}
		},
		Headings: []string{"name", "email", "address", "country", "tax_id", "contact", "reference", "copies_to", "created_at"},
		Cells: func(c customer.Customer) []string {
			return []string{
				c.Name, c.Email, c.Address, c.Country, c.TaxID, c.Contact, c.Reference, c.CopiesTo, c.CreatedAt.Format(time.RFC3339),
			}
		},
		Empty: "Each customer is added once.",
	})
	web.Show(m, web.RecordPage[customer.Customer]{
		Summary: "One customer.", Facts: facts,
		Archived:    func(c customer.Customer) time.Time { return c.ArchivedAt },
		LeadsTo:     func(c customer.Customer) uuid.UUID { return c.MergedInto.ID },
		ArchiveHint: "Archived customers can't be chosen.",
		Page: func(r *http.Request, p templates.Page, c customer.Customer) (templ.Component, error) {
			view := web.RecordView(m, r, c)
			erase := erasable(r, c, &view)
			merges, err := duplicate.MergesInto(r.Context(), s.Pool, web.Principal(r).Tenant, c.ID)
			if err != nil {
				return nil, err
			}
			for _, merge := range merges {
				view.Facts = append(view.Facts, templates.Fact{
					Label: "Merged on " + web.Day(r, merge.CreatedAt), Value: duplicate.Name(merge), Href: "/merges/" + merge.ID.String(),
				})
			}
			below, err := s.Sections(r, "customers", c.ID)
			if err != nil {
				return nil, err
			}
			for _, section := range sections {
				shown, err := section(r, c, &view)
				if err != nil {
					return nil, err
				}
				below = append(below, shown)
			}
			if erase != nil {
				below = append(below, erase)
			}
			return templates.RecordPageWith(p, view, below), nil
		},
	})
	web.Create(m, "Create a customer, or get the existing one with this email and name (200).", customer.Upsert, draft, nil,
		&customer.Differs)
	web.Change(m, http.MethodPut, "Replace a customer's details.", customer.Edit, draft,
		&customer.Merged, &customer.Erased, &customer.Differs)
	web.Transition(m, "archive", "archived", "Hide a customer from lists and choices.", customer.Archive, web.Nothing())
	web.Transition(m, "restore", "restored", "Bring an archived customer back.", customer.Restore, web.Nothing(),
		&customer.Merged, &customer.Erased)
	mountErasures(s, m)
	within := s.Within("customers")
	mountDuplicates(within)
	mountMerges(within)
	mountDistinctions(within)
}

func facts(r *http.Request, c customer.Customer) []templates.Fact {
	facts := web.PartyFacts(c.Details, "")
	if c.Email != "" {
		facts = append([]templates.Fact{{Label: "Email", Value: c.Email, Href: "mailto:" + c.Email}}, facts...)
	}
	return web.KnownFacts(append(facts, templates.Fact{Label: "Contact", Value: c.Contact},
		templates.Fact{Label: "Reference", Value: c.Reference},
		templates.Fact{Label: "Payment terms", Value: party.DaysText(c.PaymentDays)},
		templates.Fact{Label: "Copies to", Value: c.CopiesTo},
		web.ExternalFact(c.External), templates.Fact{Label: "Customer since", Value: web.Day(r, c.CreatedAt)})...)
}
