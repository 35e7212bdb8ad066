// Package eventcases declares event feeds for the tests of sitetest. Only tests import it.
package eventcases

import (
	"net/url"

	"onlyonce/internal/event"
	"onlyonce/internal/site/sitetest"
)

// Resources returns the resources of the room.
func Resources() []sitetest.Resource { return []sitetest.Resource{Feeds(), Endpoints(), Deliveries()} }

// Unbroken returns the constraints that no command of an operation breaks: see sitecases.
func Unbroken() map[string][]string {
	return map[string][]string{"endpoint.disable": {"endpoints_few"}} // it frees a slot
}

// Feeds are the event feeds.
func Feeds() sitetest.Resource {
	command := url.Values{"name": {"Shop"}}
	return sitetest.Resource{
		Name: "event feed", Path: "/event-feeds",
		Words:   sitetest.Words{Verb: "start", Past: "started", Button: "Start event feed"},
		Command: command,
		Label:   "Shop",
		Leaves:  sitetest.Rows{"event_feeds": 1, "intents": 1},
		Other:   sitetest.Change(command, "name", "Warehouse"),
		Fields:  []sitetest.Field{{Name: "name", Valid: "Warehouse", Invalid: " ", Pointer: "/name"}},
		API: sitetest.API{
			Encode: func(form url.Values) string { return sitetest.Encode(map[string]any{"name": form.Get("name")}) },
			Input:  event.Input{},
		},
	}
}
