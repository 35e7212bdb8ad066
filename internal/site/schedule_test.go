package site_test

import (
	"net/url"

	"onlyonce/internal/invoice/schedule"
)

func schedules() resource {
	command := url.Values{
		"customer_id": {referred}, "currency": {"EUR"}, "notes": {"Thank you & <soon>"}, "every": {"1"}, "unit": {"month"},
		"first_day": {"2090-01-31"}, "last_day": {"2095-12-31"}, "bill_as": {"draft"}, "missed": {"each"},
		"line_description": {"Support", "Hosting"}, "line_quantity": {"1", "1.5"},
		"line_unit_price": {"90.00", "7.99"}, "line_tax_rate": {"23", "6.5"},
	}
	return resource{
		name: "schedule", path: "/schedules", words: words{verb: "create", past: "created"}, command: command, label: "Grace Hopper, every month",
		leaves: rows{"schedules": 1, "schedule_clocks": 1, "intents": 1}, refers: []reference{{resource: customers()}},
		other: change(command, "every", "2"), repeats: repeats{alike: []url.Values{command, change(command, "notes", "Other words")}},
		fields: []field{
			{"customer_id", key, "nobody", "/customer_id"},
			{"currency", "USD", "XXY", "/currency"},
			{"notes", "Other words", "a\u202eb", "/notes"},
			{"every", "3", "0", "/every"},
			{"unit", "week", "day", "/unit"},
			{"first_day", "2090-02-01", "tomorrow", "/first_day"},
			{"last_day", "2094-12-31", "2089-12-31", "/last_day"},
			{"bill_as", "issued", "gift", "/bill_as"},
			{"missed", "latest", "shrug", "/missed"},
			{"line_description", "Drawing", " ", "/lines/0/description"},
			{"line_quantity", "3", "none", "/lines/0/quantity"},
			{"line_unit_price", "50.01", "much", "/lines/0/unit_price"},
			{"line_tax_rate", "22", "101", "/lines/0/tax_rate"},
		},
		edited: edited{change(command, "unit", "year", "notes", "Thank you, Grace", "line_quantity", "4"), "Grace Hopper, every year"},
		transitions: []transition{
			{verb: "pause", past: "paused", undo: "resume"},
			{verb: "resume", past: "resumed", from: []string{"pause"}, undo: "pause"},
			{verb: "archive", past: "archived", undo: "restore"},
			{verb: "restore", past: "restored", from: []string{"archive"}, undo: "archive"},
		},
		api: api{func(form url.Values) string {
			command := map[string]any{}
			for _, name := range []string{
				"customer_id", "currency", "notes", "every", "unit", "first_day", "last_day", "bill_as", "missed",
			} {
				command[name] = form.Get(name)
			}
			command["lines"] = linesOf(form)
			return encode(command)
		}, schedule.Input{}},
	}
}

func periods() resource {
	command := url.Values{"period": {"2090-01-31"}}
	return resource{
		name: "period", path: "/periods", parent: &parent{resource: schedules()}, shownAt: "/invoices",
		words: words{verb: "bill", past: "billed"}, command: command, label: "2090-0001",
		leaves:  rows{"schedule_periods": 1, "invoices": 1, "invoice_lines": 2, "invoice_number_runs": 1, "intents": 1},
		other:   change(command, "period", "2090-02-28"),
		fields:  []field{{"period", "2090-02-28", "tomorrow", "/period"}},
		repeats: repeats{reused: command},
		api:     api{func(form url.Values) string { return encode(map[string]any{"period": form.Get("period")}) }, schedule.BillInput{}},
	}
}
