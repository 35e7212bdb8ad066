// Package eventpages has the pages and the API of event feeds, endpoints and deliveries, and the events in the API.
package eventpages

import (
	"net/http"

	"onlyonce/internal/event"
	"onlyonce/internal/record"
	"onlyonce/internal/value/secretkey"
	"onlyonce/internal/web"
	"onlyonce/templates"
)

// Mount mounts event feeds, endpoints and deliveries among the settings. The secrets of endpoints are derived from key. private is set if
// addresses may be those of machines that are not on the public internet.
func Mount(s *web.Site, key secretkey.Key, private bool) {
	mountFeeds(s)
	mountEndpoints(s, key, private)
	mountDeliveries(s)
}

func mountFeeds(s *web.Site) {
	m := web.Resource[event.Feed]{
		One: "event feed", Path: "/event-feeds", Table: event.Table, Name: func(f event.Feed) string { return f.Name },
	}.Mount(s.Within("settings"))
	form := web.PlainForm([]web.PlainField[event.Feed]{{
		Name: "name", Label: "Program", Text: func(f event.Feed) string { return f.Name },
		Hint: "It reads what is created or changed here, such as a shop does. It needs an API token.",
	}})
	form.Example = event.Input{Name: "Shop"}
	form.Words = &web.Wording{
		Title: "Start an event feed", Submit: "Start event feed", Did: "started", Does: "starts", Again: "Start another event feed",
		Created: "Event feed %s started.", Replayed: "Event feed started. We ignored the duplicate submission and kept your first request.",
	}
	draft := web.NewForm(m, event.Input.Draft, form)
	web.List(m, web.Listing[event.Feed]{
		Summary: "The event feeds that were started, newest first.",
		Read: func(r *http.Request, page record.Page) (record.List[event.Feed], error) {
			return event.List(r.Context(), s.Pool, web.Principal(r).Tenant, page)
		},
		Columns: []templates.Column{{Label: "Program", Class: "name"}, {Label: "Started", Class: "date"}},
		Row:     func(r *http.Request, f event.Feed) []string { return []string{f.Name, web.Day(r, f.CreatedAt)} },
		Empty:   "A program can read what is created or changed here. Events are recorded once you start the first feed.",
	})
	web.Show(m, web.RecordPage[event.Feed]{
		Summary: "One event feed.",
		Facts: func(r *http.Request, f event.Feed) []templates.Fact {
			return []templates.Fact{
				{Label: "Program", Value: f.Name}, {Label: "Started", Value: web.Day(r, f.CreatedAt)},
				{Label: "Address of the events", Value: s.Address(r) + "/api/v1/events"},
			}
		},
	})
	web.Create(m, "Start an event feed. Events are recorded from the first one on.", event.Start, draft, nil)
	web.Events(m)
}
