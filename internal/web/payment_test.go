package web_test

import (
	"net/url"

	"onlyonce/internal/payment"
)

func payments() thing {
	command := url.Values{
		"amount": {"40.00"}, "date": {"2026-11-22"}, "method": {"bank_transfer"}, "provider": {"Bank"}, "reference": {"TX 1"},
	}
	return thing{
		name: "payment", path: "/payments", parent: &parent{thing: invoices(), ready: []string{"issue"}},
		verb: "record", past: "recorded", command: command, label: "40.00 EUR on 2026-11-22",
		leaves: rows{"payments": 1, "postings": 1, "intents": 1},
		other:  change(command, "amount", "30.00", "reference", "TX 2"),
		fields: []field{
			{"amount", "40.01", "much", "/amount"},
			{"date", "2026-11-23", "tomorrow", "/date"},
			{"method", "card", "barter", "/method"},
			{"provider", "Processor", "a\u202eb", "/provider"},
			{"reference", "TX 3", "a\u202eb", "/reference"},
		},
		uniques: []unique{{"reference", "TX 7", "TX 8", "payment-taken"}},
		json: func(form url.Values) string {
			return encode(map[string]any{
				"amount": form.Get("amount"), "date": form.Get("date"), "method": form.Get("method"),
				"provider": form.Get("provider"), "reference": form.Get("reference"),
			})
		},
		input: payment.Input{},
	}
}
