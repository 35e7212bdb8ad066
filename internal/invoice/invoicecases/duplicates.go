package invoicecases

import (
	"net/url"
	"strings"

	"onlyonce/internal/invoice/duplicate"
	"onlyonce/internal/site/sitetest"
)

// InvoiceDistinctions mark two invoices as distinct.
func InvoiceDistinctions() sitetest.Resource {
	var four []sitetest.Reference
	for _, id := range []string{sitetest.Referred, sitetest.Second, sitetest.Third, sitetest.Fourth} {
		four = append(four, sitetest.Reference{Resource: Invoices(), As: id})
	}
	both := func(ids ...string) string { return strings.Join(ids, " ") }
	return sitetest.Resource{
		Name: "invoice distinction", Path: "/invoice-distinctions", Words: sitetest.Words{Verb: "remember", Past: "remembered",
			Button: "Remember distinction"},
		Command: url.Values{"invoices": {both(sitetest.Referred, sitetest.Second)}}, Label: "2026-0001, 2026-0002",
		Leaves: sitetest.Rows{"invoice_distinctions": 1, "invoice_distinct_pairs": 1, "intent_effects": 2, "intents": 1},
		Other:  url.Values{"invoices": {both(sitetest.Third, sitetest.Fourth)}},
		Refers: four,
		Fields: []sitetest.Field{
			{Name: "invoices", Valid: both(sitetest.Referred, sitetest.Third), Invalid: sitetest.Referred, Pointer: "/invoice_ids"},
		},
		API: sitetest.API{Encode: func(form url.Values) string {
			return sitetest.Encode(map[string]any{"invoice_ids": strings.Fields(form.Get("invoices"))})
		}, Input: duplicate.ApartInput{}},
	}
}
