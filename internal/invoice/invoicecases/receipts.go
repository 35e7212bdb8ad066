package invoicecases

import (
	"net/url"

	"onlyonce/internal/customer/customercases"
	"onlyonce/internal/invoice/receipt"
	"onlyonce/internal/site/sitetest"
)

// Receipts are recorded for a customer.
func Receipts() sitetest.Resource {
	command := url.Values{
		"customer_id": {sitetest.Referred}, "currency": {"EUR"}, "amount": {"90.00"}, "date": {"2026-11-22"}, "method": {"bank_transfer"},
		"provider": {"Bank"}, "reference": {"RX 1"}, "allocation_invoice_id": {sitetest.Referred}, "allocation_amount": {"0"},
	}
	return sitetest.Resource{
		Name: "receipt", Path: "/receipts",
		Words:   sitetest.Words{Verb: "record", Past: "recorded", Told: "Receipt of 90.00 EUR on 22 Nov 2026 recorded."},
		Command: command, Label: "90.00 EUR on 22 Nov 2026",
		Leaves:  sitetest.Rows{"receipts": 1, "payment_references": 1, "intents": 1},
		Refers:  []sitetest.Reference{{Resource: customercases.Customers()}},
		Repeats: sitetest.Repeats{Alike: []url.Values{command, sitetest.Change(command, "reference", "RX 2")}},
		Other:   sitetest.Change(command, "amount", "30.00", "reference", "RX 2"),
		Fields: []sitetest.Field{
			{Name: "customer_id", Valid: sitetest.Key, Invalid: "nobody", Pointer: "/customer_id"},
			{Name: "currency", Valid: "USD", Invalid: "XXY", Pointer: "/currency"},
			{Name: "amount", Valid: "90.01", Invalid: "much", Pointer: "/amount"},
			{Name: "date", Valid: "2026-11-23", Invalid: "tomorrow", Pointer: "/date"},
			{Name: "method", Valid: "card", Invalid: "barter", Pointer: "/method"},
			{Name: "provider", Valid: "Processor", Invalid: "a\u202eb", Pointer: "/provider"},
			{Name: "reference", Valid: "RX 3", Invalid: "a\u202eb", Pointer: "/reference"},
			{Name: "allocation_invoice_id", Valid: sitetest.Key}, // hidden: an error is beside the amount
			{Name: "allocation_amount", Valid: "0.01", Invalid: "much", Pointer: "/allocations/0/amount"},
		},
		Uniques:     []sitetest.Unique{{Field: "reference", Value: "RX 7", Free: "RX 8", Slug: "payment-taken"}},
		Transitions: []sitetest.Transition{{Verb: "remove", Past: "removed", Leaves: sitetest.Rows{"payment_references": -1}}},
		OfCustomer:  map[string]string{"receipts.provider": "kept: it is in the books", "receipts.reference": "kept: it is in the books"},
		API: sitetest.API{Encode: func(form url.Values) string {
			in := map[string]any{"allocations": []map[string]string{
				{"invoice_id": form.Get("allocation_invoice_id"), "amount": form.Get("allocation_amount")},
			}}
			for _, name := range []string{"customer_id", "currency", "amount", "date", "method", "provider", "reference"} {
				in[name] = form.Get(name)
			}
			return sitetest.Encode(in)
		}, Input: receipt.Input{}},
	}
}

// withCredit are receipts without a reference, so that several are possible.
func withCredit() *sitetest.Parent {
	of := Receipts()
	of.Command = sitetest.Change(of.Command, "provider", "", "reference", "")
	return &sitetest.Parent{Resource: of}
}

// Allocations pay an issued invoice from the credit of a receipt.
func Allocations() sitetest.Resource {
	of := Invoices()
	of.Refers = []sitetest.Reference{{Resource: customercases.Customers()}}
	of.Other = sitetest.Change(of.Other, "customer_id", sitetest.Referred, "customer_email", "", "customer_name", "")
	command := url.Values{"invoice_id": {sitetest.Referred}, "amount": {"40.00"}, "date": {"2026-11-24"}}
	return sitetest.Resource{
		Name: "allocation", Path: "/allocations", Parent: withCredit(),
		Words:   sitetest.Words{Verb: "record", Past: "recorded", Button: "Record payment", Told: "Payment recorded."},
		Command: command, Label: "40.00 EUR on 24 Nov 2026",
		Leaves: sitetest.Rows{"payments": 1, "postings": 1, "intent_effects": 1, "intents": 1},
		Refers: []sitetest.Reference{{Resource: of, Ready: []string{"issue"}}},
		Other:  sitetest.Change(command, "amount", "30.00"),
		Fields: []sitetest.Field{
			{Name: "invoice_id", Valid: sitetest.Key, Invalid: "none", Pointer: "/invoice_id"},
			{Name: "amount", Valid: "40.01", Invalid: "much", Pointer: "/amount"},
			{Name: "date", Valid: "2026-11-25", Invalid: "tomorrow", Pointer: "/date"},
		},
		API: sitetest.API{Encode: func(form url.Values) string {
			return sitetest.Encode(map[string]any{
				"invoice_id": form.Get("invoice_id"), "amount": form.Get("amount"), "date": form.Get("date"),
			})
		}, Input: receipt.ApplyInput{}},
	}
}

// Repayments pay credit of a receipt back.
func Repayments() sitetest.Resource {
	command := url.Values{"amount": {"10.00"}, "date": {"2026-11-25"}, "reference": {"RP 1"}}
	return sitetest.Resource{
		Name: "repayment", Path: "/repayments", Parent: withCredit(),
		Words: sitetest.Words{Verb: "record", Past: "recorded"}, Command: command, Label: "10.00 EUR on 25 Nov 2026",
		Leaves:  sitetest.Rows{"repayments": 1, "intent_effects": 1, "intents": 1},
		Repeats: sitetest.Repeats{Alike: []url.Values{command, command}},
		Other:   sitetest.Change(command, "amount", "11.00"),
		Fields: []sitetest.Field{
			{Name: "amount", Valid: "10.01", Invalid: "much", Pointer: "/amount"},
			{Name: "date", Valid: "2026-11-26", Invalid: "tomorrow", Pointer: "/date"},
			{Name: "reference", Valid: "RP 2", Invalid: "a\u202eb", Pointer: "/reference"},
		},
		OfCustomer:  map[string]string{"repayments.reference": "kept: it is in the books"},
		Transitions: []sitetest.Transition{{Verb: "remove", Past: "removed", Leaves: sitetest.Rows{"intent_effects": 1}}},
		API: sitetest.API{Encode: func(form url.Values) string {
			return sitetest.Encode(map[string]any{
				"amount": form.Get("amount"), "date": form.Get("date"), "reference": form.Get("reference"),
			})
		}, Input: receipt.RepayInput{}},
	}
}
