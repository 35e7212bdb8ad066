package eventpages_test

import (
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/google/uuid"
	"github.com/riverqueue/river"

	"onlyonce/internal/assert"
	"onlyonce/internal/event/delivery"
	"onlyonce/internal/event/eventcases"
	"onlyonce/internal/site/sitecases"
	"onlyonce/internal/site/sitetest"
)

func TestPlans(t *testing.T) {
	sitetest.Plans(t, sitetest.Plan{
		Room: "internal/event/", Resources: eventcases.Resources(), Requests: everyEvent, Background: delivers,
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
	maps.Copy(routes, everyEndpoint(b, program, person))
	return routes
}

// everyEndpoint returns the requests of the routes of endpoints and deliveries. Most deliveries are to endpoint 7, which is on.
func everyEndpoint(b *sitetest.Bundle, program, person *sitetest.Client) map[string][]sitetest.Request {
	of, one := eventcases.Endpoints(), "/endpoints/"+sitetest.RowID(7)
	routes := b.EveryOwners(person, of, sitetest.Change(of.Command, "address", "https://shop7.example/"))
	for i, form := range routes["POST /endpoints"] {
		if form.What == "invalid" {
			routes["POST /endpoints"][i] = b.FormOf(person, of, http.StatusUnprocessableEntity, "invalid",
				sitetest.Change(of.Command, "address", ""))
		}
	}
	edit := func(want int, key string) sitetest.Request {
		return sitetest.Request{What: key, Want: want, Send: func() sitetest.Answer {
			return person.Submit(one+"/edit", url.Values{
				"address": {"https://shop7.example/"}, "operations": {"invoice."}, "version": {"1"}, "idempotency_key": {key},
			})
		}}
	}
	routes["GET /endpoints/{id}"] = sitetest.Gets(person, one, "/endpoints/"+sitetest.Nobody)
	routes["GET /endpoints/{id}/edit"] = sitetest.Gets(person, one+"/edit?key=fresh", one+"/edit?key=past+7")
	routes["POST /endpoints/{id}/edit"] = []sitetest.Request{
		edit(http.StatusSeeOther, "changed"), edit(http.StatusSeeOther, "changed"), // replayed
	}
	create := sitetest.Request{What: "API", Want: http.StatusCreated, Send: func() sitetest.Answer {
		return program.Create(of, "api", sitetest.Change(of.Command, "address", "https://api.example/"))
	}}
	routes["POST /api/v1/endpoints"] = []sitetest.Request{create, b.Expiry(), {What: "late", Want: http.StatusOK, Send: create.Send}}
	routes["PUT /api/v1/endpoints/{id}"] = []sitetest.Request{{What: "API", Want: http.StatusOK, Send: func() sitetest.Answer {
		changing := program.With("If-Match", sitetest.ETag(2))
		return b.Must(changing.Send(b.Context(), http.MethodPut, "/api/v1"+one, of.API.Encode(of.Edited.Command)))
	}}}
	list := "/deliveries?endpoint_id=" + sitetest.RowID(7)
	routes["GET /deliveries"] = sitetest.Gets(person, "/deliveries", list, sitetest.At(list, "", sitetest.RowID(sitetest.Many/2), false),
		sitetest.At(list, "", sitetest.RowID(sitetest.Many/2), true))
	routes["GET /deliveries/{id}"] = sitetest.Gets(person, "/deliveries/"+sitetest.RowID(7), "/deliveries/"+sitetest.Nobody)
	for _, path := range []string{"/endpoints", "/deliveries"} {
		maps.Copy(routes, sitetest.EveryEvent(program, person, path+"/{id}/events", path+"/"+sitetest.RowID(7)+"/events"))
		api := "/api/v1" + path
		routes["GET "+api] = sitetest.Gets(program, api, sitetest.At(api, "", sitetest.RowID(sitetest.Many/2), false),
			sitetest.At(api, "", sitetest.RowID(sitetest.Many/2), true))
		routes["GET "+api+"/{id}"] = sitetest.Gets(program, api+"/"+sitetest.RowID(7), api+"/"+sitetest.Nobody)
	}
	return routes
}

// delivers sends two events of one record and one of another, and deletes old deliveries.
func delivers(p *sitetest.Planner) {
	p.During("delivering", func() {
		received := 0
		program := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { received++ }))
		defer program.Close()
		one := sitetest.RowID(7)
		p.Exec(`UPDATE endpoints SET address = $1 WHERE id = $2`, program.URL, one)
		p.Exec(`UPDATE deliveries SET next_at = now(), record_id = id WHERE next_at IS NOT NULL AND n IN (2000, 2020, 2040)`)
		p.Exec(`UPDATE deliveries SET record_id = $1 WHERE next_at IS NOT NULL AND n IN (2000, 2020)`, one)
		err := delivery.NewWorker(delivery.Config{
			Pool: p.Pool, Log: slog.New(slog.DiscardHandler), Key: p.Key, Event: p.Replica.EventJSON, Private: true,
		}).Work(p.Context(), &river.Job[delivery.Job]{Args: delivery.Job{Tenant: p.Acme.ID, Endpoint: uuid.MustParse(one)}})
		assert.Thatf(p, err == nil && received >= 3, "%d received, %v", received, err)
	})
	p.Exec(`UPDATE deliveries SET id = new_id() WHERE n > $1`, sitetest.Few/2)
	p.Exec(`UPDATE endpoint_mails SET id = new_id() WHERE id > $1`, sitetest.RowID(sitetest.Few/2))
	p.During("deleting old deliveries", func() {
		err := delivery.Room().Expire(p.Context(), p.Pool, p.Acme.ID)
		assert.Thatf(p, err == nil, "%v", err)
	})
}
