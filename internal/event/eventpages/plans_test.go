package eventpages_test

import (
	"maps"
	"net/http"
	"testing"

	"onlyonce/internal/event/eventcases"
	"onlyonce/internal/site/sitecases"
	"onlyonce/internal/site/sitetest"
)

func TestPlans(t *testing.T) {
	sitetest.Plans(t, sitetest.Plan{
		Room: "internal/event/", Resources: eventcases.Resources(), Requests: everyEvent,
	}, sitecases.Resources(), sitecases.Grow)
}

// everyEvent returns the requests of the routes of event feeds and events.
func everyEvent(b *sitetest.Bundle, program, person *sitetest.Client) map[string][]sitetest.Request {
	of := eventcases.Feeds()
	one := "/event-feeds/" + sitetest.RowID(7)
	place := func(n int) string {
		event := sitetest.Get[[]string](b, `
			SELECT ARRAY[n::text, attempt_id::text] FROM events JOIN intents USING (tenant_id, operation, key)
			WHERE tenant_id = $1 ORDER BY n OFFSET $2 LIMIT 1`, b.Acme.ID, n)
		return placeAt(event[0], event[1])
	}
	api := sitetest.Request{What: "API", Want: http.StatusCreated, Send: func() sitetest.Answer {
		return program.Create(of, "api", of.Command)
	}}
	routes := map[string][]sitetest.Request{
		"GET /event-feeds":             sitetest.Gets(person, "/event-feeds"),
		"GET /api/v1/event-feeds":      sitetest.Gets(program, "/api/v1/event-feeds"),
		"GET /event-feeds/new":         sitetest.Gets(person, "/event-feeds/new?key=fresh"),
		"GET /event-feeds/{id}":        sitetest.Gets(person, one),
		"GET /api/v1/event-feeds/{id}": sitetest.Gets(program, "/api/v1"+one),
		"POST /event-feeds": {
			b.FormOf(person, of, http.StatusSeeOther, "made", of.Command), b.FormOf(person, of, http.StatusSeeOther, "made", of.Command),
		},
		"POST /api/v1/event-feeds": {api, b.Expiry(), {What: "late", Want: http.StatusOK, Send: api.Send}},
		"GET /api/v1/events": sitetest.Gets(program, "/api/v1/events?limit=100", "/api/v1/events?limit=100&after="+place(sitetest.Many),
			"/api/v1/events?after="+place(2*sitetest.Many-1)),
	}
	maps.Copy(routes, sitetest.EveryEvent(program, person, "/event-feeds/{id}/events", one+"/events"))
	return routes
}
