// Package duplicatepages has the pages and the API of duplicate invoices, and of the distinctions between similar ones.
package duplicatepages

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	customers "onlyonce/internal/customer/duplicate"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/duplicate"
	"onlyonce/internal/invoice/excerpt"
	"onlyonce/internal/record"
	"onlyonce/internal/web"
	"onlyonce/templates"
	"onlyonce/templates/invoiceviews"
)

// pages has the dependencies of the pages.
type pages struct {
	site     *web.Site
	invoices *web.Mounted[invoice.Invoice]
}

// Mount mounts the read-only list of groups of similar invoices, and their distinctions, next to the duplicates of customers.
func Mount(on *web.Site, invoices *web.Mounted[invoice.Invoice]) {
	s := &pages{site: on, invoices: invoices}
	within := s.site.Within("customers")
	m := web.Resource[duplicate.Group]{One: "duplicate invoice", Path: "/duplicate-invoices"}.Mount(within)
	web.List(m, web.Listing[duplicate.Group]{
		Summary: "Groups of invoices for the same customer with the same lines, currency and total, issued within some days. A page may " +
			"be short or empty: continue while there is a next_cursor. You can't page back.",
		View: func(g duplicate.Group) any {
			shown := groupJSON{Days: g.Days, Count: g.Count}
			for _, i := range g.Invoices {
				shown.Invoices = append(shown.Invoices, excerpt.Summarize(i))
			}
			return shown
		},
		Read: func(r *http.Request, page record.Page) (record.List[duplicate.Group], error) {
			return duplicate.List(r.Context(), s.site.Pool, web.Principal(r).Tenant, page)
		},
		Page: func(r *http.Request, p templates.Page, groups []duplicate.Group, finder templates.Finder) (templ.Component, error) {
			view := invoiceviews.Duplicates{Pager: finder.Pager}
			for _, g := range groups {
				view.Groups = append(view.Groups, s.group(r, g))
			}
			return invoiceviews.DuplicatesPage(p, view), nil
		},
	})
	s.mountDistinctions(within)
}

// groupJSON is a group in the API.
type groupJSON struct {
	Days     int               `json:"days" doc:"From the first issue date to the last."`
	Count    int               `json:"count"`
	Invoices []excerpt.Summary `json:"invoices" doc:"The oldest 20, oldest first."`
}

func (s *pages) mountDistinctions(within *web.Site) {
	m := web.Resource[duplicate.Distinction]{
		One: "invoice distinction", Path: "/invoice-distinctions", Table: duplicate.Distinctions, Name: duplicate.NameApart,
	}.Mount(within)
	web.Enter(m, web.Form[duplicate.Distinction]{
		Fields:  []templates.Field{{Name: invoiceviews.InvoicesField, Value: "Invoices"}},
		Control: func(string) string { return invoiceviews.InvoicesField },
		Words: &web.Wording{
			Title: "Not duplicates", Submit: "Remember distinction", Did: "remembered", Does: "remembers", Again: "Record it once more",
			Created:  "Invoice distinction %s remembered.",
			Replayed: "Distinction remembered. We ignored the duplicate submission and kept your first request.",
		},
		Page: func(r *http.Request, p templates.Page, f templates.Form) (templ.Component, error) {
			found, err := s.chosen(r, f.Typed)
			return invoiceviews.ApartForm(p, f, found), err
		},
		Example: duplicate.ApartInput{
			Invoices: []string{"019aa5b2-7c1e-7d3a-9f00-3b1d5c6e7f80", "019aa5b2-7c1e-7d3a-9f00-3b1d5c6e7f81"},
		},
	})
	web.List(m, web.Listing[duplicate.Distinction]{
		Summary: "Invoices that look alike but aren't the same, newest first.",
		Read: func(r *http.Request, page record.Page) (record.List[duplicate.Distinction], error) {
			return duplicate.Apart(r.Context(), s.site.Pool, web.Principal(r).Tenant, page)
		},
		Columns: []templates.Column{{Label: "Invoices", Class: "name"}, {Label: "Since", Class: "date"}},
		Row: func(r *http.Request, d duplicate.Distinction) []string {
			return []string{duplicate.NameApart(d), web.Day(r, d.CreatedAt)}
		},
		Empty: "Invoices that only look alike are marked on the page Duplicate invoices.",
	})
	web.Show(m, web.RecordPage[duplicate.Distinction]{
		Summary: "One distinction.",
		Facts: func(r *http.Request, d duplicate.Distinction) (facts []templates.Fact) {
			for _, i := range d.Invoices {
				facts = append(facts, templates.Fact{Label: "Invoice", Value: i.Name, Href: s.invoices.URL(i.ID)})
			}
			return append(facts, templates.Fact{Label: "Since", Value: web.Day(r, d.CreatedAt)})
		},
	})
	web.Create(m, "Record that invoices that look alike aren't the same.", duplicate.KeepApart, web.NewCommand(
		func(r *http.Request) (duplicate.ApartDraft, error) {
			return duplicate.ApartInput{Invoices: strings.Fields(r.PostForm.Get(invoiceviews.InvoicesField))}.Draft()
		}, duplicate.ApartInput.Draft,
	), func(r *http.Request) (url.Values, error) {
		return url.Values{invoiceviews.InvoicesField: {r.URL.Query().Get(invoiceviews.InvoicesField)}}, nil
	})
}

// chosen returns the invoices chosen in a form, or none unless all exist.
func (s *pages) chosen(r *http.Request, form url.Values) ([]invoiceviews.InvoiceRow, error) {
	ids := strings.Fields(form.Get(invoiceviews.InvoicesField))
	if len(ids) > customers.MaxCustomers || slices.ContainsFunc(ids, func(id string) bool { return uuid.Validate(id) != nil }) {
		return nil, nil
	}
	found, err := duplicate.Of(r.Context(), s.site.Pool, web.Principal(r).Tenant, ids)
	if err != nil || len(found) != len(ids) {
		return nil, err
	}
	return excerpt.Rows(found), nil
}

// group returns the view of a group. Each invoice that can be voided has a button for that, as a duplicate of the oldest invoice that
// can't be voided, or else of the oldest other one. The newest comes first, because it is probably the duplicate.
func (s *pages) group(r *http.Request, g duplicate.Group) invoiceviews.Group {
	shown := invoiceviews.Group{
		Why:      g.Invoices[0].Customer.Name + ": same lines and total, " + daysApart(g.Days),
		Invoices: excerpt.Rows(g.Invoices),
	}
	voidable := func(i invoice.Summary) bool {
		return i.Status == invoice.StatusDraft || i.Status == invoice.StatusIssued
	}
	kept := max(slices.IndexFunc(g.Invoices, func(i invoice.Summary) bool { return !voidable(i) }), 0)
	var ids []string
	for n, i := range g.Invoices {
		ids = append(ids, i.ID.String())
		of := g.Invoices[kept]
		if n == kept {
			of = g.Invoices[1-min(n, 1)]
		}
		if voidable(i) {
			void := web.Asked(s.invoices, r, i.ID, "void", url.Values{invoiceviews.DuplicateOfField: {of.ID.String()}})
			void.Text = "Void " + i.Number + " as duplicate of " + of.Number
			shown.Voids = append(shown.Voids, void)
		}
	}
	slices.Reverse(shown.Voids)
	if more := g.Count - len(g.Invoices); more > 0 {
		shown.More = "These are the oldest. There are " + strconv.Itoa(more) + " more."
	}
	query := url.Values{invoiceviews.InvoicesField: {strings.Join(ids, " ")}}.Encode()
	shown.ApartHref = web.FormHref(r, "/invoice-distinctions/new?"+query)
	return shown
}

func daysApart(days int) string {
	switch days {
	case 0:
		return "on the same day"
	case 1:
		return "1 day apart"
	default:
		return strconv.Itoa(days) + " days apart"
	}
}
