package invoicecases

import (
	"net/url"
	"strings"

	"onlyonce/internal/invoice/batch"
	"onlyonce/internal/site/sitetest"
)

// Batches issue several invoices.
func Batches() sitetest.Resource {
	of := Invoices()
	command := url.Values{"action": {"issue"}, "e_invoice": {"true"}, "invoices": {sitetest.Referred + " " + sitetest.Second}}
	return sitetest.Resource{
		Name: "invoice batch", Path: "/invoice-batches",
		Words:   sitetest.Words{Verb: "start", Past: "started", Button: "Issue and email", Told: "Issue 2 invoices: started."},
		Command: command, Label: "Issue 2 invoices",
		Leaves: sitetest.Rows{"invoice_batches": 1, "invoice_batch_items": 2, "intents": 1},
		Other:  sitetest.Change(command, "invoices", sitetest.Second),
		Fields: []sitetest.Field{{Name: "e_invoice"}},
		Refers: []sitetest.Reference{{Resource: of}, {Resource: of, As: sitetest.Second}},
		API: sitetest.API{Encode: func(form url.Values) string {
			return sitetest.Encode(map[string]any{
				"action": form.Get("action"), "email": form.Get("email"), "e_invoice": form.Get("e_invoice") == "true",
				"invoices": strings.Fields(form.Get("invoices")),
			})
		}, Input: batch.Input{}},
	}
}
