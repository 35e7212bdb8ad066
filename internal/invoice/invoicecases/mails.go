package invoicecases

import (
	"net/url"

	"onlyonce/internal/invoice/mail"
	"onlyonce/internal/site/sitetest"
)

// Mails send an issued invoice.
func Mails() sitetest.Resource {
	command := url.Values{"recipient": {"ada@example.com"}, "e_invoice": {"true"}}
	return sitetest.Resource{
		Name: "email", Path: "/outbox", Parent: &sitetest.Parent{Resource: Invoices(), Ready: []string{"issue"}, At: "/send"},
		Words: sitetest.Words{Verb: "send", Past: "queued"}, Command: command, Label: "2026-0001 to ada@example.com",
		Leaves: sitetest.Rows{"mails": 1, "intents": 1, "intent_effects": 1},
		Other:  sitetest.Change(command, "recipient", "grace@example.com"),
		Fields: []sitetest.Field{
			{Name: "recipient", Valid: "office@example.com", Invalid: "ada at example", Pointer: "/recipient"}, {Name: "e_invoice"},
		},
		API: sitetest.API{Encode: func(form url.Values) string {
			return sitetest.Encode(map[string]any{"recipient": form.Get("recipient"), "e_invoice": form.Get("e_invoice") == "true"})
		}, Input: mail.Input{}},
	}
}
