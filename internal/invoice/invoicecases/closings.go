package invoicecases

import (
	"net/url"

	"onlyonce/internal/invoice/closing"
	"onlyonce/internal/site/sitetest"
)

// Closings close the books, long before anything else that the tests record.
func Closings() sitetest.Resource {
	command := url.Values{"through": {"2001-01-31"}}
	return sitetest.Resource{
		Name: "closing", Path: "/closings",
		Words: sitetest.Words{
			Verb: "close", Past: "closed", Button: "Close the books", Told: "Books closed.",
		},
		Command: command, Label: "Closing through 31 Jan 2001",
		Leaves:      sitetest.Rows{"closings": 1, "intents": 1},
		Other:       url.Values{"through": {"2001-02-28"}},
		Fields:      []sitetest.Field{{Name: "through", Valid: "2001-03-31", Invalid: "2001-02-30", Pointer: "/through"}},
		Uniques:     []sitetest.Unique{{Field: "through", Value: "2000-12-31", Free: "2000-12-30", Slug: "already-closed"}},
		Transitions: []sitetest.Transition{{Verb: "reopen", Past: "reopened"}},
		API: sitetest.API{
			Encode: func(form url.Values) string { return sitetest.Encode(map[string]any{"through": form.Get("through")}) },
			Input:  closing.Input{},
		},
	}
}
