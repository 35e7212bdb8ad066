package site_test

import (
	"fmt"
	"net/http"
	"net/url"
	"time"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/invoice/schedule"
)

// billedOften is the place of the schedule with half of the periods. Each of the others has one.
const billedOften = 21

// growPeriods inserts periods of the invoices, for schedules that are inserted later.
func (b *bundle) growPeriods() {
	b.Helper()
	b.exec(fmt.Sprintf(`
		SET LOCAL session_replication_role = replica;
		INSERT INTO schedule_periods (tenant_id, id, schedule_id, period)
		SELECT tenant_id, id, CASE WHEN id < '%s' THEN '%s' ELSE id END, '1990-01-01'::date + row_number() OVER (ORDER BY id)::integer
		FROM invoices`, rowID(many/2), rowID(billedOften)))
}

// everyPeriod returns the requests of the routes of periods, and the special requests of schedules.
func (b *bundle) everyPeriod(program, person *client) map[string][]request {
	of, most := periods(), rowID(billedOften)
	list := func(id string) string { return "/schedules/" + id + "/periods" }
	form := func(want int, id, key string, command url.Values) request {
		return request{key, want, func() answer { return person.submit(list(id), change(command, "idempotency_key", key)) }}
	}
	api := func(want int, id, key string, command url.Values) request {
		return request{key, want, func() answer {
			return program.with("Idempotency-Key", key).post("/api/v1"+list(id), of.api.encode(command))
		}}
	}
	all := func(send func(int, string, string, url.Values) request, made, reused int, id, prefix string) []request {
		done := send(made, id, prefix, of.command)
		return []request{
			done, done, // replayed
			send(http.StatusUnprocessableEntity, id, prefix, of.other), // mismatch
			send(reused, id, prefix+" again", of.command),
			send(http.StatusUnprocessableEntity, id, prefix+" invalid", change(of.command, "period", "2090-02-01")),
			send(http.StatusConflict, rowID(many+7), prefix+" archived", of.command),
			send(http.StatusNotFound, nobody, prefix+" nobody", of.command),
			b.expiry(), send(reused, id, prefix+" later", of.command),
		}
	}
	line := change(schedules().command, "idempotency_key", "form", "action", "add_line", "version", "1")
	lines := func(path string) request {
		return request{path, http.StatusOK, func() answer { return person.submit(path, line) }}
	}
	return map[string][]request{
		"GET /schedules/{id}/periods/new": {
			looked(person, http.StatusOK, list(most)+"/new?key=fresh"), looked(person, http.StatusOK, list(most)+"/new?key=past+7"),
			looked(person, http.StatusNotFound, list(nobody)+"/new"),
			looked(person, http.StatusOK, "/schedules/new?key=fresh&invoice="+rowID(1)),
		},
		"POST /schedules/{id}/periods": append(all(form, http.StatusSeeOther, http.StatusSeeOther, rowID(131), "form period"),
			request{"the clock", 0, b.billByClock}),
		"POST /api/v1/schedules/{id}/periods": all(api, http.StatusCreated, http.StatusOK, rowID(132), "api period"),
		"GET /api/v1/schedules/{id}/periods": {
			looked(program, http.StatusOK, "/api/v1"+list(most)+"?limit=100"),
			looked(program, http.StatusOK, at("/api/v1"+list(most)+"?limit=100", "", rowID(many/4), false)),
			looked(program, http.StatusOK, at("/api/v1"+list(most)+"?limit=100", "", rowID(many/4), true)),
			looked(program, http.StatusNotFound, "/api/v1"+list(nobody)),
		},
		"GET /periods/{id}": {
			looked(person, http.StatusSeeOther, "/periods/"+rowID(7)), looked(person, http.StatusOK, "/schedules/"+most),
			looked(person, http.StatusOK, at("/schedules/"+most, "", rowID(many/4), false)),
		},
		"GET /api/v1/periods/{id}":  {looked(program, http.StatusOK, "/api/v1/periods/"+rowID(7))},
		"POST /schedules/form":      {lines("/schedules/form")},
		"POST /schedules/{id}/form": {lines("/schedules/" + rowID(11) + "/form")},
	}
}

// billByClock bills the few schedules that are due on a day. The second can't be billed.
func (b *bundle) billByClock() (none answer) {
	b.exec(`UPDATE schedule_clocks SET next_day = '2095-01-31' WHERE schedule_id NOT IN ($1, $2, $3)`, rowID(141), rowID(142), rowID(143))
	b.exec(`UPDATE schedules SET lines = '[{}]' WHERE id = $1`, rowID(142))
	clock := schedule.Clockwork{
		Store: &idempotency.Store{Pool: b.pool, Wait: 15 * time.Second, Timeout: 25 * time.Second},
		Now:   func() time.Time { return time.Date(2090, 1, 31, 12, 0, 0, 0, time.UTC) },
	}
	if err := clock.Run(b.Context(), b.acme.id); err != nil {
		b.Error(err)
	}
	const billed = `SELECT count(*) FROM schedule_periods WHERE schedule_id IN ($1, $2, $3)`
	if n := get[int](b, billed, rowID(141), rowID(142), rowID(143)); n != 2 {
		b.Errorf("%d were billed", n)
	}
	return none
}
