package invoicecases

import (
	"net/url"

	"onlyonce/internal/invoice/credit"
	"onlyonce/internal/invoice/payment"
	"onlyonce/internal/invoice/refund"
	"onlyonce/internal/invoice/writeoff"
	"onlyonce/internal/site/sitetest"
)

// Payments are recorded on an issued invoice.
func Payments() sitetest.Resource {
	command := url.Values{
		"amount": {"40.00"}, "date": {"2026-11-22"}, "method": {"bank_transfer"}, "provider": {"Bank"}, "reference": {"TX 1"},
	}
	return sitetest.Resource{
		Name: "payment", Path: "/payments", Parent: &sitetest.Parent{Resource: Invoices(), Ready: []string{"issue"}},
		Words: sitetest.Words{Verb: "record", Past: "recorded"}, Command: command, Label: "40.00 EUR on 22 Nov 2026",
		Leaves:  sitetest.Rows{"payments": 1, "payment_references": 1, "postings": 1, "intents": 1},
		Repeats: sitetest.Repeats{Alike: []url.Values{command, sitetest.Change(command, "reference", "TX 2")}},
		Other:   sitetest.Change(command, "amount", "30.00", "reference", "TX 2"),
		Fields: []sitetest.Field{
			{Name: "amount", Valid: "40.01", Invalid: "much", Pointer: "/amount"},
			{Name: "date", Valid: "2026-11-23", Invalid: "tomorrow", Pointer: "/date"},
			{Name: "method", Valid: "card", Invalid: "barter", Pointer: "/method"},
			{Name: "provider", Valid: "Processor", Invalid: "a\u202eb", Pointer: "/provider"},
			{Name: "reference", Valid: "TX 3", Invalid: "a\u202eb", Pointer: "/reference"},
		},
		Uniques: []sitetest.Unique{{Field: "reference", Value: "TX 7", Free: "TX 8", Slug: "payment-taken"}},
		Transitions: []sitetest.Transition{
			{Verb: "remove", Past: "removed", Leaves: sitetest.Rows{"postings": 1, "payment_references": -1}},
		},
		OfCustomer: map[string]string{
			"payments.reference": "kept: it is in the books", "payment_references.reference": "kept, so that it comes once",
		},
		API: sitetest.API{Encode: func(form url.Values) string {
			return sitetest.Encode(map[string]any{
				"amount": form.Get("amount"), "date": form.Get("date"), "method": form.Get("method"),
				"provider": form.Get("provider"), "reference": form.Get("reference"),
			})
		}, Input: payment.Input{}},
	}
}

// Refunds are recorded on a payment.
func Refunds() sitetest.Resource {
	command := url.Values{"amount": {"10.00"}, "date": {"2026-11-23"}, "reference": {"RF 1"}}
	of := Payments()
	of.Command = sitetest.Change(of.Command, "provider", "", "reference", "") // so that several are possible
	of.Parent = &sitetest.Parent{Resource: Invoices(), Ready: []string{"issue"}}
	return sitetest.Resource{
		Name: "refund", Path: "/refunds", Parent: &sitetest.Parent{Resource: of},
		Words: sitetest.Words{Verb: "record", Past: "recorded"}, Command: command, Label: "10.00 EUR on 23 Nov 2026",
		Leaves:  sitetest.Rows{"refunds": 1, "postings": 1, "intents": 1},
		Repeats: sitetest.Repeats{Alike: []url.Values{command, command}},
		Other:   sitetest.Change(command, "amount", "11.00"),
		Fields: []sitetest.Field{
			{Name: "amount", Valid: "10.01", Invalid: "much", Pointer: "/amount"},
			{Name: "date", Valid: "2026-11-24", Invalid: "tomorrow", Pointer: "/date"},
			{Name: "reference", Valid: "RF 2", Invalid: "a\u202eb", Pointer: "/reference"},
		},
		OfCustomer:  map[string]string{"refunds.reference": "kept: it is in the books"},
		Transitions: []sitetest.Transition{{Verb: "remove", Past: "removed", Leaves: sitetest.Rows{"postings": 1}}},
		API: sitetest.API{Encode: func(form url.Values) string {
			return sitetest.Encode(map[string]any{
				"amount": form.Get("amount"), "date": form.Get("date"), "reference": form.Get("reference"),
			})
		}, Input: refund.Input{}},
	}
}

// WriteOffs are recorded on an issued invoice.
func WriteOffs() sitetest.Resource {
	command := url.Values{"amount": {"10.00"}, "date": {"2026-11-23"}, "reason": {"bad_debt"}, "note": {"Bankrupt"}}
	return sitetest.Resource{
		Name: "write-off", Path: "/write-offs", Parent: &sitetest.Parent{Resource: Invoices(), Ready: []string{"issue"}},
		Words:   sitetest.Words{Verb: "record", Past: "recorded", Button: "Write off", Told: "Written off."},
		Command: command, Label: "10.00 EUR on 23 Nov 2026",
		Leaves:  sitetest.Rows{"write_offs": 1, "postings": 1, "intents": 1},
		Repeats: sitetest.Repeats{Alike: []url.Values{command, sitetest.Change(command, "note", "Moved away")}},
		Other:   sitetest.Change(command, "amount", "11.00"),
		Fields: []sitetest.Field{
			{Name: "amount", Valid: "10.01", Invalid: "much", Pointer: "/amount"},
			{Name: "date", Valid: "2026-11-24", Invalid: "tomorrow", Pointer: "/date"},
			{Name: "reason", Valid: "other", Invalid: "boredom", Pointer: "/reason"},
			{Name: "note", Valid: "Gone", Invalid: "a\u202eb", Pointer: "/note"},
		},
		Transitions: []sitetest.Transition{{Verb: "reverse", Past: "taken back", Leaves: sitetest.Rows{"postings": 1}}},
		OfCustomer:  map[string]string{"write_offs.note": "kept: it is in the books"},
		API: sitetest.API{Encode: func(form url.Values) string {
			return sitetest.Encode(map[string]any{
				"amount": form.Get("amount"), "date": form.Get("date"), "reason": form.Get("reason"), "note": form.Get("note"),
			})
		}, Input: writeoff.Input{}},
	}
}

// CreditNotes credit lines of an issued invoice.
func CreditNotes() sitetest.Resource {
	command := url.Values{
		"line_quantity": {"1", "0.5"}, "amount": {""}, "reason": {"Damaged & <returned>"}, "date": {"2026-11-22"},
		"tell_customer": {"true"},
	}
	return sitetest.Resource{
		Name: "credit note", Path: "/credit-notes", Parent: &sitetest.Parent{Resource: Invoices(), Ready: []string{"issue"}, OwnPage: true},
		Words: sitetest.Words{Verb: "create", Past: "created"}, Command: command, Label: "CN-2026-0001",
		Leaves: sitetest.Rows{
			"credit_notes": 1, "credit_note_lines": 2, "credit_note_series": 1, "postings": 1, "invoice_taxes": 2, "mails": 1,
			"intents": 1, "intent_effects": 2,
		},
		Repeats: sitetest.Repeats{Alike: []url.Values{{"line_quantity": {"1", ""}}, {"line_quantity": {"1", ""}}}},
		Other:   sitetest.Change(command, "line_quantity", "1.5"),
		Fields: []sitetest.Field{
			{Name: "line_quantity", Valid: "2", Invalid: "none", Pointer: "/lines/0/quantity"},
			{Name: "amount", Valid: "50.00", Invalid: "much", Pointer: "/amount"},
			{Name: "reason", Valid: "Returned", Invalid: "a\u202eb", Pointer: "/reason"},
			{Name: "date", Valid: "2026-11-21", Invalid: "2026-11-31", Pointer: "/date"},
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
			sent := map[string]any{
				"lines": lines, "reason": form.Get("reason"), "tell_customer": form.Get("tell_customer") == "true",
				"date": form.Get("date"),
			}
			if form.Get("amount") != "" {
				delete(sent, "lines")
				sent["amount"] = form.Get("amount")
			}
			return sitetest.Encode(sent)
		}, Input: credit.Input{}},
	}
}

// CreditReversals reverse a credit note.
func CreditReversals() sitetest.Resource {
	command := url.Values{"reason": {"Wrong <invoice>"}, "date": {"2026-11-24"}, "tell_customer": {"true"}}
	return sitetest.Resource{
		Name: "reversal", Path: "/reversals", Parent: &sitetest.Parent{Resource: CreditNotes()}, ShownAt: "/credit-notes",
		Words:   sitetest.Words{Verb: "create", Past: "created", Button: "Reverse credit note", Told: "Credit note reversed."},
		Command: command, Label: "CN-2026-0002",
		Leaves: sitetest.Rows{
			"credit_notes": 1, "credit_note_lines": 2, "postings": 1, "invoice_taxes": 2, "mails": 1, "intents": 1, "intent_effects": 2,
		},
		Other:   sitetest.Change(command, "reason", "Wrong amount"),
		Uniques: []sitetest.Unique{{Slug: "credit-note-reversed"}},
		Fields: []sitetest.Field{
			{Name: "reason", Valid: "Mistake", Invalid: "a\u202eb", Pointer: "/reason"},
			{Name: "date", Valid: "2026-11-23", Invalid: "2026-11-31", Pointer: "/date"},
			{Name: "tell_customer"},
		},
		API: sitetest.API{Encode: func(form url.Values) string {
			return sitetest.Encode(map[string]any{
				"reason": form.Get("reason"), "date": form.Get("date"), "tell_customer": form.Get("tell_customer") == "true",
			})
		}, Input: credit.ReverseInput{}},
	}
}
