package web_test

import (
	"net/url"

	"onlyonce/internal/customer"
)

func customers() thing {
	command := url.Values{"email": {"ada@example.com"}, "name": {"Ada Lovelace"}}
	return thing{
		name: "customer", path: "/customers", verb: "create", past: "created", command: command, label: "Ada Lovelace",
		leaves: rows{"customers": 1, "intents": 1},
		other:  url.Values{"email": {"grace@example.com"}, "name": {"Grace Hopper"}},
		fields: []field{
			{"email", "king@example.com", "ada at example", "/email"},
			{"name", "Ada Byron", " ", "/name"},
		},
		uniques: []unique{{"email", "ada@example.com", "byron@example.com", "email-taken"}},
		reused:  url.Values{"email": {"ADA@example.com"}, "name": {"Ada King"}},
		edited:  url.Values{"email": {"ada@example.com"}, "name": {"Ada King"}}, editedLabel: "Ada King",
		transitions: []transition{
			{verb: "archive", past: "archived", undo: "restore"},
			{verb: "restore", past: "restored", from: []string{"archive"}, undo: "archive"},
		},
		json: func(form url.Values) string {
			return encode(map[string]any{"email": form.Get("email"), "name": form.Get("name")})
		},
		input: customer.Input{},
	}
}
