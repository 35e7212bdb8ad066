package invoicecases

import (
	"fmt"
	"net/url"
	"time"

	"onlyonce/internal/invoice/credit"
	"onlyonce/internal/site/sitetest"
)

// creditNumber is the first number of this year's series of credit notes.
func creditNumber() string { return fmt.Sprintf("CN-%d-0001", time.Now().UTC().Year()) }

// CreditNotes credit lines of an issued invoice.
func CreditNotes() sitetest.Resource {
	command := url.Values{"line_quantity": {"1", "0.5"}, "reason": {"Damaged & <returned>"}, "tell_customer": {"true"}}
	return sitetest.Resource{
		Name: "credit note", Path: "/credit-notes", Parent: &sitetest.Parent{Resource: Invoices(), Ready: []string{"issue"}, OwnPage: true},
		Words: sitetest.Words{Verb: "create", Past: "created"}, Command: command, Label: creditNumber(),
		Leaves: sitetest.Rows{
			"credit_notes": 1, "credit_note_lines": 2, "credit_note_series": 1, "postings": 1, "invoice_taxes": 2, "mails": 1,
			"intents": 1, "intent_effects": 2,
		},
		Repeats: sitetest.Repeats{Alike: []url.Values{{"line_quantity": {"1", ""}}, {"line_quantity": {"1", ""}}}},
		Other:   sitetest.Change(command, "line_quantity", "1.5"),
		Fields: []sitetest.Field{
			{Name: "line_quantity", Valid: "2", Invalid: "none", Pointer: "/lines/0/quantity"},
			{Name: "reason", Valid: "Returned", Invalid: "a\u202eb", Pointer: "/reason"},
			{Name: "tell_customer"},
		},
		API: sitetest.API{Encode: func(form url.Values) string {
			lines := []map[string]any{}
			for i, quantity := range form["line_quantity"] {
				if quantity == "" {
					continue
				}
				lines = append(lines, map[string]any{"position": i + 1, "quantity": quantity})
			}
			return sitetest.Encode(map[string]any{
				"lines": lines, "reason": form.Get("reason"), "tell_customer": form.Get("tell_customer") == "true",
			})
		}, Input: credit.Input{}},
	}
}
