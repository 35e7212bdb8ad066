package seriespages

import (
	"net/http"

	"onlyonce/internal/invoice/series"
	"onlyonce/internal/record"
	"onlyonce/internal/web"
	"onlyonce/templates"
)

// mountPatterns mounts the patterns of invoice numbers among the settings.
func mountPatterns(s *web.Site) {
	m := web.Resource[series.Pattern]{
		One: "number pattern", Path: "/number-patterns", Tab: "Number patterns", Table: series.Patterns,
		Name: func(p series.Pattern) string { return p.Pattern },
	}.Mount(s.Within("settings"))
	form := web.PlainForm([]web.PlainField[series.Pattern]{{
		Name: "pattern", Label: "Pattern of new invoices", Text: func(p series.Pattern) string { return p.Pattern },
		Hint: "{NNNN} is the number, {YYYY} or {YY} the year. RE-{YYYY}-{NNNN} counts from 1 each year, RE-{NNNN} over all years.",
	}})
	form.Example = series.PatternInput{Pattern: "RE-{YYYY}-{NNNN}"}
	form.Words = &web.Wording{
		Title: "Set the number pattern", Submit: "Set pattern", Did: "set", Does: "sets", Again: "Set it once more",
		Created:  "New invoices are numbered by the pattern %s.",
		Replayed: "Pattern set. We ignored the duplicate submission and kept your first request.",
	}
	draft := web.NewForm(m, series.PatternInput.Draft, form)
	web.List(m, web.Listing[series.Pattern]{
		Summary: "The patterns that were set, newest first. The newest counts; without one, it is {YYYY}-{NNNN}.",
		Read: func(r *http.Request, page record.Page) (record.List[series.Pattern], error) {
			return series.ListPatterns(r.Context(), s.Pool, web.Principal(r).Tenant, page)
		},
		Columns: []templates.Column{{Label: "Pattern", Class: "name"}, {Label: "Set", Class: "date"}},
		Row:     func(r *http.Request, p series.Pattern) []string { return []string{p.Pattern, web.Day(r, p.CreatedAt)} },
		Empty:   "Invoices are numbered by the pattern {YYYY}-{NNNN}. Set another one, such as RE-{YYYY}-{NNNN}.",
	})
	web.Show(m, web.RecordPage[series.Pattern]{
		Summary: "One pattern that was set.",
		Facts: func(r *http.Request, p series.Pattern) []templates.Fact {
			return []templates.Fact{{Label: "Pattern", Value: p.Pattern}, {Label: "Set", Value: web.Day(r, p.CreatedAt)}}
		},
	})
	web.Create(m, "Set the pattern of the invoice numbers that are allocated from now on. A series goes on behind its last run of numbers.",
		series.SetPattern, draft, nil)
}
