package invoicecases

import (
	"net/url"

	"onlyonce/internal/invoice/series"
	"onlyonce/internal/site/sitetest"
)

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
