package invoicepages_test

import (
	"maps"
	"net/http"
	"net/url"
	"strconv"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/invoice/invoicecases"
	"onlyonce/internal/invoice/reminder"
	"onlyonce/internal/must"
	"onlyonce/internal/site/sitetest"
)

// sendsReminders sends the reminders that are due.
func sendsReminders(p *sitetest.Planner) {
	p.Helper()
	p.During("sending due reminders", func() {
		must.OK(p, reminder.SendDue(p.Context(), &idempotency.Store{Pool: p.Pool}, p.Acme.ID))
	})
}

// everyReminder returns the requests of the routes of reminders. Each invoice was sent the first one before.
func everyReminder(b *sitetest.Bundle, program, person *sitetest.Client) map[string][]sitetest.Request {
	of, one := invoicecases.Reminders(), "/reminders/"+sitetest.RowID(7)
	list := func(id string) string { return "/invoices/" + id + "/reminders" }
	second := sitetest.Change(of.Command, "level", "2")
	all := func(made, reused int, id string, send func(id, key string, command url.Values) sitetest.Answer) []sitetest.Request {
		ask := func(want int, id, key string, command url.Values) sitetest.Request {
			return sitetest.Request{What: key, Want: want, Send: func() sitetest.Answer { return send(id, key, command) }}
		}
		sent := ask(made, id, "reminder of "+id, second)
		return []sitetest.Request{
			sent, sent, ask(http.StatusUnprocessableEntity, id, "reminder of "+id, of.Other),
			ask(reused, id, "again "+id, of.Command),
			ask(http.StatusConflict, id, "same day "+id, sitetest.Change(of.Command, "level", "3")),
			ask(http.StatusConflict, sitetest.RowID(11), "draft "+id, second),
			ask(http.StatusUnprocessableEntity, id, "invalid "+id, sitetest.Change(second, "recipient", "nobody")),
			ask(http.StatusNotFound, sitetest.Nobody, "nobody's "+id, second),
			b.Expiry(), ask(reused, id, "reminder of "+id, second),
		}
	}
	routes := b.EveryPair(program, person, invoicecases.ReminderBatches(), func(n int) url.Values {
		return url.Values{"reminders": {sitetest.RowID(n) + ":2 " + sitetest.RowID(n+2) + ":2"}}
	})
	maps.Copy(routes, b.EveryPair(program, person, invoicecases.ReminderPlans(), func(n int) url.Values {
		return url.Values{"first_after": {strconv.Itoa(1 + n%365)}}
	}))
	first := sitetest.RowID(invoicecases.Drafts + 23)
	const fresh = "GET /reminder-batches/new"
	routes[fresh] = append(routes[fresh], sitetest.Looked(person, http.StatusOK, "/reminder-batches/new?key=fresh&invoice_id="+first))
	maps.Copy(routes, map[string][]sitetest.Request{
		"GET /invoices/{id}/reminders/new": {
			sitetest.Looked(person, http.StatusOK, list(first)+"/new?key=fresh"),
			sitetest.Looked(person, http.StatusOK, list(first)+"/new?key=past+7"),
			sitetest.Looked(person, http.StatusNotFound, list(sitetest.Nobody)+"/new"),
		},
		"POST /invoices/{id}/reminders": all(http.StatusSeeOther, http.StatusSeeOther, sitetest.RowID(invoicecases.Drafts+21),
			func(id, key string, command url.Values) sitetest.Answer {
				return person.Submit(list(id), sitetest.Change(command, "idempotency_key", key))
			}),
		"POST /api/v1/invoices/{id}/reminders": all(http.StatusCreated, http.StatusOK, sitetest.RowID(invoicecases.Drafts+22),
			func(id, key string, command url.Values) sitetest.Answer {
				return program.With("Idempotency-Key", key).Post("/api/v1"+list(id), of.API.Encode(command))
			}),
		"GET /api/v1/invoices/{id}/reminders": {sitetest.Looked(program, http.StatusOK, "/api/v1"+list(first)+"?limit=100")},
		"GET /reminders/{id}":                 {sitetest.Looked(person, http.StatusSeeOther, one)},
		"GET /api/v1/reminders/{id}":          {sitetest.Looked(program, http.StatusOK, "/api/v1"+one)},
	})
	return routes
}
