package invoicecases

import (
	"net/url"

	"onlyonce/internal/customer/customercases"
	"onlyonce/internal/invoice/schedule"
	"onlyonce/internal/site/sitetest"
)

// Schedules bill a customer again and again.
func Schedules() sitetest.Resource {
	command := url.Values{
		"customer_id": {sitetest.Referred}, "currency": {"EUR"}, "notes": {"Thank you & <soon>"}, "every": {"1"}, "unit": {"month"},
		"first_day": {"2090-01-31"}, "last_day": {"2095-12-31"}, "bill_as": {"draft"}, "missed": {"each"},
		"line_description": {"Support", "Hosting"}, "line_quantity": {"1", "1.5"},
		"line_unit_price": {"90.00", "7.99"}, "line_tax_rate": {"23", "6.5"}, "line_tax_treatment": {"", ""},
		"line_unit": {"", ""}, "line_discount": {"", ""},
		"exemption_reason": {""},
	}
	return sitetest.Resource{
		Name: "schedule", Path: "/schedules", Words: sitetest.Words{Verb: "create", Past: "created"}, Command: command,
		Label: "Grace Hopper, every month",
		Leaves: sitetest.Rows{
			"schedules":       1,
			"schedule_clocks": 1,
			"intents":         1,
		}, Refers: []sitetest.Reference{{Resource: customercases.Customers()}},
		Other: sitetest.Change(
			command,
			"every",
			"2",
		), Repeats: sitetest.Repeats{Alike: []url.Values{command, sitetest.Change(command, "notes", "Other words")}},
		Fields: []sitetest.Field{
			{Name: "customer_id", Valid: sitetest.Key, Invalid: "nobody", Pointer: "/customer_id"},
			{Name: "currency", Valid: "USD", Invalid: "XXY", Pointer: "/currency"},
			{Name: "notes", Valid: "Other words", Invalid: "a\u202eb", Pointer: "/notes"},
			{Name: "every", Valid: "3", Invalid: "0", Pointer: "/every"},
			{Name: "unit", Valid: "week", Invalid: "day", Pointer: "/unit"},
			{Name: "first_day", Valid: "2090-02-01", Invalid: "tomorrow", Pointer: "/first_day"},
			{Name: "last_day", Valid: "2094-12-31", Invalid: "2089-12-31", Pointer: "/last_day"},
			{Name: "bill_as", Valid: "issued", Invalid: "gift", Pointer: "/bill_as"},
			{Name: "missed", Valid: "latest", Invalid: "shrug", Pointer: "/missed"},
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
		Edited: sitetest.Edited{
			Command: sitetest.Change(command, "unit", "year", "notes", "Thank you, Grace", "line_quantity", "4"),
			Label:   "Grace Hopper, every year",
		},
		Transitions: []sitetest.Transition{
			{Verb: "pause", Past: "paused", Undo: "resume"},
			{Verb: "resume", Past: "resumed", From: []string{"pause"}, Undo: "pause"},
			{Verb: "archive", Past: "archived", Undo: "restore"},
			{Verb: "restore", Past: "restored", From: []string{"archive"}, Undo: "archive"},
		},
		OfCustomer: map[string]string{
			"schedules.exemption_reason": "kept: it is of the law", "schedules.notes": sitetest.Erased, "schedules.lines": sitetest.Erased,
		},
		API: sitetest.API{Encode: func(form url.Values) string {
			command := map[string]any{}
			for _, name := range []string{
				"customer_id", "currency", "notes", "exemption_reason", "every", "unit", "first_day", "last_day", "bill_as", "missed",
			} {
				command[name] = form.Get(name)
			}
			command["lines"] = linesOf(form)
			return sitetest.Encode(command)
		}, Input: schedule.Input{}},
	}
}

// Periods are billed by a schedule: each is an invoice.
func Periods() sitetest.Resource {
	command := url.Values{"period": {"2090-01-31"}}
	return sitetest.Resource{
		Name: "period", Path: "/periods", Parent: &sitetest.Parent{Resource: Schedules()}, ShownAt: "/invoices",
		Words: sitetest.Words{Verb: "bill", Past: "billed"}, Command: command, Label: "2090-0001",
		Leaves:  sitetest.Rows{"schedule_periods": 1, "invoices": 1, "invoice_lines": 2, "invoice_number_runs": 1, "intents": 1},
		Other:   sitetest.Change(command, "period", "2090-02-28"),
		Fields:  []sitetest.Field{{Name: "period", Valid: "2090-02-28", Invalid: "tomorrow", Pointer: "/period"}},
		Repeats: sitetest.Repeats{Reused: command},
		API: sitetest.API{
			Encode: func(form url.Values) string { return sitetest.Encode(map[string]any{"period": form.Get("period")}) },
			Input:  schedule.BillInput{},
		},
	}
}
