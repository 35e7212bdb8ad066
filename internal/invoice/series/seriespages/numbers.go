// Package seriespages has the pages and the API of the next numbers of invoices and credit notes, and of the patterns of invoice numbers.
package seriespages

import (
	"net/http"
	"strings"

	"github.com/a-h/templ"

	"onlyonce/internal/invoice/series"
	"onlyonce/internal/record"
	"onlyonce/internal/web"
	"onlyonce/templates"
	"onlyonce/templates/invoiceviews"
)

// Mount mounts the resources of package series among the settings.
func Mount(s *web.Site) {
	mountNumbers(s)
	mountPatterns(s)
}

func mountNumbers(s *web.Site) {
	m := web.Resource[series.Next]{
		One: "next number", Path: "/next-numbers", Tab: "Numbers", Table: series.Table,
		Name: func(n series.Next) string { return n.Number },
	}.Mount(s.Within("settings"))
	draft := web.NewForm(m, series.Input.Draft, web.Form[series.Next]{
		Fields: []templates.Field{{Name: "number", Value: "Next number"}},
		Words: &web.Wording{
			Title: "Set the next number", Submit: "Set next number", Did: "set", Does: "sets", Again: "Set it once more",
			Created: "Next number %s set.", Replayed: "Next number set. We ignored the duplicate submission and kept your first request.",
		},
		Page: func(r *http.Request, p templates.Page, f templates.Form) (templ.Component, error) {
			next, err := series.Of(r.Context(), s.Pool, web.Principal(r).Tenant, web.Principal(r).Today().Year())
			return invoiceviews.NextNumberForm(p, f, strings.Join(next, " and ")), err
		},
		Example: series.Input{Number: "2027-0139"},
	})
	web.List(m, web.Listing[series.Next]{
		Summary: "The numbers that were set, newest first. The newest of a series and year counts.",
		Read: func(r *http.Request, page record.Page) (record.List[series.Next], error) {
			return series.List(r.Context(), s.Pool, web.Principal(r).Tenant, page)
		},
		Columns: []templates.Column{{Label: "Next number", Class: "name"}, {Label: "Set", Class: "date"}},
		Row:     func(r *http.Request, n series.Next) []string { return []string{n.Number, web.Day(r, n.CreatedAt)} },
		Empty:   "Invoices and credit notes count from 1. Set the next number to go on from another program.",
	})
	web.Show(m, web.RecordPage[series.Next]{
		Summary: "One number that was set.",
		Facts: func(r *http.Request, n series.Next) []templates.Fact {
			return []templates.Fact{{Label: "Next number", Value: n.Number}, {Label: "Set", Value: web.Day(r, n.CreatedAt)}}
		},
	})
	web.Create(m, "Set the next number of a series of invoices or credit notes.", series.Set, draft, nil)
}
