package invoicepages_test

import (
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/riverqueue/river"

	"onlyonce/internal/assert"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/invoice/batch"
	"onlyonce/internal/invoice/invoicecases"
	"onlyonce/internal/invoice/reminder"
	"onlyonce/internal/invoice/schedule"
	"onlyonce/internal/must"
	"onlyonce/internal/site/sitetest"
)

// everyPeriod returns the requests of the routes of periods, and the special requests of schedules.
func everyPeriod(b *sitetest.Bundle, program, person *sitetest.Client) map[string][]sitetest.Request {
	of, most := invoicecases.Periods(), sitetest.RowID(invoicecases.BilledOften)
	list := func(id string) string { return "/schedules/" + id + "/periods" }
	form := func(want int, id, key string, command url.Values) sitetest.Request {
		return sitetest.Request{What: key, Want: want, Send: func() sitetest.Answer {
			return person.Submit(list(id), sitetest.Change(command, "idempotency_key", key))
		}}
	}
	api := func(want int, id, key string, command url.Values) sitetest.Request {
		return sitetest.Request{What: key, Want: want, Send: func() sitetest.Answer {
			return program.With("Idempotency-Key", key).Post("/api/v1"+list(id), of.API.Encode(command))
		}}
	}
	all := func(send func(int, string, string, url.Values) sitetest.Request, made, reused int, id, prefix string) []sitetest.Request {
		done := send(made, id, prefix, of.Command)
		return []sitetest.Request{
			done, done, // replayed
			send(http.StatusUnprocessableEntity, id, prefix, of.Other), // mismatch
			send(reused, id, prefix+" again", of.Command),
			send(http.StatusUnprocessableEntity, id, prefix+" invalid", sitetest.Change(of.Command, "period", "2090-02-01")),
			send(http.StatusConflict, sitetest.RowID(sitetest.Many+7), prefix+" archived", of.Command),
			send(http.StatusNotFound, sitetest.Nobody, prefix+" nobody", of.Command),
			b.Expiry(), send(reused, id, prefix+" later", of.Command),
		}
	}
	line := sitetest.Change(invoicecases.Schedules().Command, "idempotency_key", "form", "action", "add_line", "version", "1")
	lines := func(path string) sitetest.Request {
		return sitetest.Request{What: path, Want: http.StatusOK, Send: func() sitetest.Answer { return person.Submit(path, line) }}
	}
	return map[string][]sitetest.Request{
		"GET /schedules/{id}/periods/new": append(newForms(person, list, most),
			sitetest.Looked(person, http.StatusOK, "/schedules/new?key=fresh&invoice="+sitetest.RowID(1))),
		"POST /schedules/{id}/periods": append(all(form, http.StatusSeeOther, http.StatusSeeOther, sitetest.RowID(131), "form period"),
			sitetest.Request{What: "the clock", Want: 0, Send: func() sitetest.Answer { return billByClock(b) }}),
		"POST /api/v1/schedules/{id}/periods": all(api, http.StatusCreated, http.StatusOK, sitetest.RowID(132), "api period"),
		"GET /api/v1/schedules/{id}/periods": {
			sitetest.Looked(program, http.StatusOK, "/api/v1"+list(most)+"?limit=100"),
			sitetest.Looked(program, http.StatusOK,
				sitetest.At("/api/v1"+list(most)+"?limit=100", "", sitetest.RowID(sitetest.Many/4), false)),
			sitetest.Looked(program, http.StatusOK,
				sitetest.At("/api/v1"+list(most)+"?limit=100", "", sitetest.RowID(sitetest.Many/4), true)),
			sitetest.Looked(program, http.StatusNotFound, "/api/v1"+list(sitetest.Nobody)),
		},
		"GET /periods/{id}": {
			sitetest.Looked(person, http.StatusSeeOther, "/periods/"+sitetest.RowID(7)),
			sitetest.Looked(person, http.StatusOK, "/schedules/"+most),
			sitetest.Looked(person, http.StatusOK, sitetest.At("/schedules/"+most, "", sitetest.RowID(sitetest.Many/4), false)),
		},
		"GET /api/v1/periods/{id}":  {sitetest.Looked(program, http.StatusOK, "/api/v1/periods/"+sitetest.RowID(7))},
		"POST /schedules/form":      {lines("/schedules/form")},
		"POST /schedules/{id}/form": {lines("/schedules/" + sitetest.RowID(11) + "/form")},
	}
}

// billByClock bills the few schedules that are due on a day. The second can't be billed.
func billByClock(b *sitetest.Bundle) (none sitetest.Answer) {
	b.Exec(`UPDATE schedule_clocks SET next_day = '2095-01-31' WHERE schedule_id NOT IN ($1, $2, $3)`, sitetest.RowID(141),
		sitetest.RowID(142), sitetest.RowID(143))
	b.Exec(`UPDATE schedules SET lines = '[{}]' WHERE id = $1`, sitetest.RowID(142))
	clock := schedule.Clockwork{
		Store: &idempotency.Store{Pool: b.Pool, Wait: 15 * time.Second, Timeout: 25 * time.Second},
		Now:   func() time.Time { return time.Date(2090, 1, 31, 12, 0, 0, 0, time.UTC) },
	}
	must.OK(b, clock.Run(b.Context(), b.Acme.ID))
	const billed = `SELECT count(*) FROM schedule_periods WHERE schedule_id IN ($1, $2, $3)`
	assert.Equal(b, sitetest.Get[int](b, billed, sitetest.RowID(141), sitetest.RowID(142), sitetest.RowID(143)), 2, "billed invoices")
	return none
}

// sendsReminders sends the reminders that are due.
func sendsReminders(p *sitetest.Planner) {
	p.Helper()
	p.During("sending due reminders", func() {
		must.OK(p, reminder.SendDue(p.Context(), &idempotency.Store{Pool: p.Pool}, p.Acme.ID))
	})
}

// worksOnABatch runs the job of a batch with one invoice.
func worksOnABatch(p *sitetest.Planner) {
	p.Helper()
	worker := batch.Worker{Store: &idempotency.Store{Pool: p.Pool}, Log: slog.New(slog.DiscardHandler)}
	job := batch.Job{Tenant: p.Acme.ID, Batch: uuid.MustParse(sitetest.RowID(7))}
	p.During("the job of a batch", func() { must.OK(p, worker.Work(p.Context(), &river.Job[batch.Job]{Args: job})) })
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
		"GET /invoices/{id}/reminders/new": newForms(person, list, first),
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
