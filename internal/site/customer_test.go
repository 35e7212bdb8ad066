package site_test

import (
	"net/url"

	"onlyonce/internal/customer"
)

func customers() resource {
	command := url.Values{
		"email": {"ada@example.com"}, "name": {"Ada Lovelace"}, "address": {"12 St James's Square"}, "country": {"GB"},
		"tax_id": {"GB123456789"}, "payment_days": {"14"},
	}
	return resource{
		name: "customer", path: "/customers", words: words{verb: "create", past: "created"}, command: command, label: "Ada Lovelace",
		leaves: rows{"customers": 1, "intents": 1},
		other:  change(command, "email", "grace@example.com", "name", "Grace Hopper"),
		fields: []field{
			{"email", "king@example.com", "ada at example", "/email"},
			{"name", "Ada Byron", " ", "/name"},
			{"address", "13 St James's Square", "a\u202eb", "/address"},
			{"country", "FR", "XX", "/country"},
			{"tax_id", "GB987654321", "a\u202eb", "/tax_id"},
			{"payment_days", "", "366", "/payment_days"},
		},
		uniques: []unique{{field: "email", value: "ada@example.com", free: "byron@example.com", slug: "customer-differs"}},
		repeats: repeats{
			reused: change(command, "email", "ADA@example.com", "name", "ada LOVELACE", "address", "", "country", "", "payment_days", "7",
				"tax_id", ""),
			alike: []url.Values{command, change(command, "email", "countess@example.com", "name", "ADA LOVELACE", "tax_id", "")},
		},
		edited: edited{change(command, "name", "Ada King", "tax_id", "", "payment_days", "7"), "Ada King"},
		transitions: []transition{
			{verb: "archive", past: "archived", undo: "restore"},
			{verb: "restore", past: "restored", from: []string{"archive"}, undo: "archive"},
		},
		api: api{func(form url.Values) string {
			command := map[string]any{}
			for name := range form {
				command[name] = form.Get(name)
			}
			return encode(command)
		}, customer.Input{}},
	}
}
