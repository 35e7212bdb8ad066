// Package invoicecases declares invoices, their parts and schedules for the tests of sitetest. Only tests import it. It is no part of
// them, because tests of the whole site need it too.
package invoicecases

import (
	"net/url"
	"slices"
	"strings"

	"onlyonce/internal/customer/customercases"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/duplicate"
	"onlyonce/internal/invoice/series"
	"onlyonce/internal/site/sitetest"
)

// Resources returns the resources of the room.
func Resources() []sitetest.Resource {
	return []sitetest.Resource{
		Invoices(), Payments(), Refunds(), CreditNotes(), CreditReversals(), WriteOffs(), Receipts(), Allocations(), Repayments(), Mails(),
		Schedules(), Periods(), WebhookSources(), WebhookSecrets(), WebhookEvents(), InvoiceDistinctions(), NextNumbers(), NumberPatterns(),
		Attachments(), Logos(), Reminders(), ReminderBatches(), ReminderPlans(), Closings(), Batches(), MailTexts(), Imports(),
		PaymentImports(),
	}
}

// Unbroken returns the constraints that no command of an operation breaks: see sitecases.
func Unbroken() map[string][]string {
	kept := []string{"invoices_exemption_reason", "invoices_frozen", "invoices_kept", "invoices_life", "invoices_stamped"}
	issued := slices.Concat(kept, []string{
		"customers_erased", "invoices_void_without_credit_notes", "invoices_void_without_payments", "invoices_void_without_write_offs",
		"mails_invoice", "mails_of_issued",
	})
	billed := slices.Concat(issued, []string{
		"customers_differ", "customers_email_once", "invoice_lines_outside_scope", "invoices_duplicate_of", "invoices_number_ahead",
		"invoices_number_of_its_year", "invoices_number_once_per_year",
	})
	return map[string][]string{
		// Their customer has no external id.
		"invoice.create": {"customers_email_once", "invoice_lines_outside_scope", "invoices_duplicate_of", "invoices_frozen"},
		"invoice.edit":   append(kept, "customers_email_once", "invoice_lines_outside_scope"),
		"invoice.issue":  issued,
		"invoice.void":   append(kept, "mails_invoice", "mails_of_issued"),
		"payment.create": {"payments_of_customer", "payments_receipt", "payments_within_receipt"}, // it is no part of a receipt
		// The command has been checked, and the receipt is new.
		"receipt.create": {"payments_receipt", "payments_within_receipt", "receipts_balanced"},
		"credit_note.create": {
			"credit_notes_append_only", "mails_invoice", "mails_of_issued",
			// of a reversal
			"credit_notes_not_before_reversed", "credit_notes_reversed_once", "credit_notes_reversed_whole", "credit_notes_reverses",
			"credit_notes_reverses_no_reversal",
		},
		"credit_note.reverse": { // the credit note was created before
			"credit_notes_not_before_invoice", "credit_notes_not_negative",
			"credit_notes_of_issued", "credit_notes_of_lines", "credit_notes_within_open", "mails_invoice", "mails_of_issued",
		},
		"schedule.bill":     billed,
		"schedule.bill_due": billed,
		"schedule.archive":  {"customers_erased"},
		"reminder.send_batch": { // these are outcomes
			"mails_of_issued", "reminders_of_next_level", "reminders_of_overdue", "reminders_recipient",
		},
	}
}

// Invoices are drafts, which are issued or voided.
func Invoices() sitetest.Resource {
	command := url.Values{
		"number": {""}, "customer_id": {""}, "customer_email": {"ada@example.com"}, "customer_name": {"Ada Lovelace"},
		"issue_date": {"2026-11-21"}, "due_date": {"2026-12-21"}, "currency": {"EUR"}, "notes": {"Thank you & <soon>"},
		"line_description": {"Design", "Printing"}, "line_quantity": {"2", "1.5"},
		"line_unit_price": {"50.00", "7.99"}, "line_tax_rate": {"23", "6.5"}, "line_tax_treatment": {"", ""},
		"line_unit": {"", ""}, "line_discount": {"", ""},
		"exemption_reason": {""}, "supplied_from": {""}, "supplied_to": {""},
	}
	return sitetest.Resource{
		Name: "invoice", Path: "/invoices", Words: sitetest.Words{Verb: "create", Past: "created"}, Command: command, Label: "2026-0001",
		Leaves: sitetest.Rows{
			"invoices":            1,
			"invoice_lines":       2,
			"invoice_number_runs": 1,
			"customers":           1,
			"intent_effects":      1,
			"intents":             1,
		},
		Repeats: sitetest.Repeats{Alike: []url.Values{command, command}},
		Other:   sitetest.Change(command, "notes", "Other words", "line_quantity", "3"),
		Fields: []sitetest.Field{
			{Name: "number", Valid: "R-44", Invalid: "Ж-1", Pointer: "/number"},
			{Name: "customer_id", Valid: sitetest.Key, Invalid: "nobody", Pointer: "/customer_id"},
			{Name: "customer_email", Valid: "grace@example.com", Invalid: "ada at example", Pointer: "/customer/email"},
			{Name: "customer_name", Valid: "Ada King", Invalid: " ", Pointer: "/customer/name"},
			{Name: "issue_date", Valid: "2026-11-22", Invalid: "tomorrow", Pointer: "/issue_date"},
			{Name: "due_date", Valid: "2026-12-22", Invalid: "2026-11-20", Pointer: "/due_date"},
			{Name: "supplied_from", Valid: "2026-11-01", Invalid: "yesterday", Pointer: "/supplied_from"},
			{
				Name: "supplied_to", Valid: "2026-11-30", With: []string{"supplied_from", "2026-11-01"},
				Invalid: "2026-10-31", Pointer: "/supplied_to",
			},
			{Name: "currency", Valid: "USD", Invalid: "XXY", Pointer: "/currency"},
			{Name: "notes", Valid: "Other words", Invalid: "a\u202eb", Pointer: "/notes"},
			{Name: "line_description", Valid: "Drawing", Invalid: " ", Pointer: "/lines/0/description"},
			{Name: "line_unit_price", Valid: "50.01", Invalid: "much", Pointer: "/lines/0/unit_price"},
			{Name: "line_unit", Valid: "HUR", Invalid: "HOURS", Pointer: "/lines/0/unit"},
			{Name: "line_discount", Valid: "10%", Invalid: "200%", Pointer: "/lines/0/discount"},
			{Name: "line_tax_rate", Valid: "22", Invalid: "101", Pointer: "/lines/0/tax_rate"},
			{
				Name: "line_tax_treatment", Valid: "reverse_charge", With: []string{"line_tax_rate", "0"},
				Invalid: "free", Pointer: "/lines/0/tax_treatment",
			},
			{
				Name: "exemption_reason", Valid: "Article 132", With: []string{"line_tax_treatment", "exempt", "line_tax_rate", "0"},
				Invalid: "a\u202eb", Pointer: "/exemption_reason",
			},
			{Name: "line_quantity", Valid: "3", Invalid: "none", Pointer: "/lines/0/quantity"},
		},
		Uniques: []sitetest.Unique{{Field: "number", Value: "2026-0007", Free: "2026-0008", Slug: "number-taken"}},
		Edited: sitetest.Edited{
			Command: sitetest.Change(command, "number", "2026-0001", "notes", "Thank you, Ada", "line_quantity", "4"),
			Label:   "2026-0001",
		},
		Transitions: []sitetest.Transition{
			{
				Verb: "issue", Past: "issued", Leaves: sitetest.Rows{"invoice_taxes": 2, "mails": 1, "intent_effects": 2},
				Refused: sitetest.Refusal{After: []string{"void"}, Slug: "not-draft"},
			},
			{Verb: "void", Past: "voided"},
		},
		OfCustomer: map[string]string{
			"invoices.number":           "kept: it is the number in the books",
			"invoices.exemption_reason": "kept: it is of the law",
			"invoices.notes":            "kept once issued, by law; else erased",
			"invoices.seller":           "kept: it is the business itself",
			"invoices.bill_to":          "kept: only an issued invoice has it, by law",
			"invoice_lines.description": "kept once issued, by law; else erased",
			"invoice_words.word":        "kept once issued, by law; else erased",
		},
		API: sitetest.API{Encode: invoiceCommand, Input: invoice.Input{}},
	}
}

// linesOf returns the lines of a form, in the API's format.
func linesOf(form url.Values) (lines []map[string]any) {
	for i := range form["line_description"] {
		line := map[string]any{
			"description": form["line_description"][i], "quantity": form["line_quantity"][i],
			"unit_price": form["line_unit_price"][i], "tax_rate": form["line_tax_rate"][i],
		}
		for _, optional := range []string{"unit", "discount", "tax_treatment"} {
			if values := form["line_"+optional]; i < len(values) {
				line[optional] = values[i]
			}
		}
		lines = append(lines, line)
	}
	return lines
}

func invoiceCommand(form url.Values) string {
	command := map[string]any{
		"issue_date": form.Get("issue_date"), "due_date": form.Get("due_date"),
		"currency": form.Get("currency"), "notes": form.Get("notes"), "lines": linesOf(form),
		"exemption_reason": form.Get("exemption_reason"),
		"supplied_from":    form.Get("supplied_from"), "supplied_to": form.Get("supplied_to"),
	}
	if number := form.Get("number"); number != "" {
		command["number"] = number
	}
	if id := form.Get("customer_id"); id != "" {
		command["customer_id"] = id
	} else {
		details := map[string]any{} // mostly in the API only: TestCustomerOfAnInvoiceHasDetails
		for name := range customercases.Customers().Command {
			details[name] = form.Get("customer_" + name)
		}
		command["customer"] = details
	}
	return sitetest.Encode(command)
}

// NextNumbers set the number with which a series continues.
func NextNumbers() sitetest.Resource {
	command := url.Values{"number": {"2026-0139"}}
	return sitetest.Resource{
		Name: "next number", Path: "/next-numbers", Words: sitetest.Words{Verb: "set", Past: "set", Button: "Set next number"},
		Command: command,
		Label:   "2026-0139",
		Leaves:  sitetest.Rows{"next_numbers": 1, "invoice_number_starts": 1, "intents": 1},
		Other:   sitetest.Change(command, "number", "2027-0139"),
		Fields:  []sitetest.Field{{Name: "number", Valid: "2026-0140", Invalid: "soon", Pointer: "/number"}},
		API: sitetest.API{
			Encode: func(form url.Values) string { return sitetest.Encode(map[string]any{"number": form.Get("number")}) },
			Input:  series.Input{},
		},
	}
}

// NumberPatterns set the pattern of invoice numbers.
func NumberPatterns() sitetest.Resource {
	command := url.Values{"pattern": {"RE-{YYYY}-{NNNN}"}}
	return sitetest.Resource{
		Name: "number pattern", Path: "/number-patterns",
		Words: sitetest.Words{
			Verb: "set", Past: "set", Button: "Set pattern", Told: "New invoices are numbered by the pattern RE-{YYYY}-{NNNN}.",
		},
		Command: command,
		Label:   "RE-{YYYY}-{NNNN}",
		Leaves:  sitetest.Rows{"number_patterns": 1, "invoice_number_patterns": 1, "intents": 1},
		Other:   sitetest.Change(command, "pattern", "RE-{NNNN}"),
		Fields:  []sitetest.Field{{Name: "pattern", Valid: "{NN}/{YY}", Invalid: "RE", Pointer: "/pattern"}},
		API: sitetest.API{
			Encode: func(form url.Values) string { return sitetest.Encode(map[string]any{"pattern": form.Get("pattern")}) },
			Input:  series.PatternInput{},
		},
	}
}

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
