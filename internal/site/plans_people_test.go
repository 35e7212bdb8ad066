package site_test

import (
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/people/attempt"
	"testing"
	"time"
)

func TestPeoplePlans(t *testing.T) {
	plansOf(t, plan{
		room: "internal/people/", resources: []resource{settings(), users(), apiTokens()}, background: keepsAttempts,
		requests: func(b *bundle, program, person *client) map[string][]request {
			routes := map[string][]request{"GET /attempts": gets(person, attemptPages()...)}
			maps.Copy(routes, everyEvent(program, person, "/settings/events", "/settings/events"))
			for _, path := range []string{"/people", "/tokens"} {
				maps.Copy(routes, everyEvent(nil, person, path+"/{id}/events", path+"/"+rowID(7)+"/events"))
			}
			maps.Copy(routes, b.everySetting(program, person))
			maps.Copy(routes, b.everyPerson(person))
			maps.Copy(routes, b.everyOwners(person, apiTokens(), url.Values{"name": {"token 7"}, "role": {"member"}}))
			return routes
		},
	}, resources(), growAll)
}

// keepsAttempts records an attempt, and deletes old ones.
func keepsAttempts(p *plans) {
	p.during("deleting attempts", func() {
		before := time.UnixMilli(0x01900000_0000).Add(time.Millisecond)
		if _, err := attempt.Expire(p.Context(), p.pool, p.acme.id, before, attempt.MaxKept); err != nil {
			p.Error(err)
		}
	})
	p.during("keeping attempts", func() {
		recorder := attempt.Start(attempt.Config{Pool: p.pool, Log: slog.New(slog.DiscardHandler)})
		intent := idempotency.Intent{Tenant: p.acme.id}
		recorder.Observe(idempotency.Attempt{Operation: "test", Intent: intent, Outcome: idempotency.Created})
		recorder.Close(p.Context())
		if recorder.Kept() != 1 {
			p.Errorf("kept %d", recorder.Kept())
		}
	})
}

// everyPerson returns the requests of the routes of users.
func (b *bundle) everyPerson(person *client) map[string][]request {
	of := users()
	mine := change(of.edited.command, "email", "12@people.example", "role", "member")
	routes := b.everyOwners(person, of, change(of.command, "email", "7@people.example"))
	routes["POST /people"] = append(routes["POST /people"], b.formOf(person, of, http.StatusConflict, "elsewhere",
		change(of.command, "email", b.globex.email)))
	routes["GET /people/{id}/edit"] = editForms(person, "/people/", 11)
	routes["POST /people/{id}/edit"] = b.formEdits(person, edits{
		of, rowID(12), mine, change(mine, "name", "Grace"), change(mine, "email", "7@PEOPLE.example"), change(mine, "email", "7"),
	})
	routes["POST /people/{id}/disable"] = []request{{"the last owner", http.StatusConflict, func() answer {
		return person.submit("/people/"+b.acme.id.String()+"/disable", url.Values{"idempotency_key": {"last owner"}})
	}}}
	return routes
}

// everySignIn returns the requests of logins and passwords. The password of the person stays the same.
func (b *bundle) everySignIn(person *client) map[string][]request {
	join := func(want int, link, password string) request {
		return request{link, want, func() answer {
			return b.browser(b.replica).submit("/join", url.Values{"link": {link}, "password": {password}})
		}}
	}
	own := func(want int, current string) request {
		return request{current, want, func() answer {
			return person.submit("/account", url.Values{"password": {current}, "new_password": {password}})
		}}
	}
	forgot := func(id string) request {
		return request{id, http.StatusSeeOther, func() answer {
			email := get[string](b, `SELECT COALESCE((SELECT email FROM users WHERE tenant_id = $1 AND id = $2), 'nobody@people.example')`,
				b.acme.id, id)
			return b.browser(b.replica).submit("/forgot", url.Values{"email": {email}})
		}}
	}
	ending := func(form url.Values) request {
		return request{form.Encode(), http.StatusSeeOther, func() answer { return person.submit("/account/sessions", form) }}
	}
	return map[string][]request{
		"GET /login":          gets(b.browser(b.replica), "/login"),
		"GET /logged-out.css": gets(b.browser(b.replica), "/logged-out.css"),
		"POST /login": {
			{"log in", http.StatusSeeOther, func() answer { return b.browser(b.replica).logIn(b.acme, password) }},
			{"wrong password", 0, func() answer { return b.browser(b.replica).logIn(b.acme, "wrong") }},
		},
		"POST /logout": {{"log out", http.StatusSeeOther, func() answer {
			return b.person(b.replica, b.acme).submit("/logout", nil)
		}}},
		"GET /join": {
			{"a link", http.StatusOK, func() answer { return b.browser(b.replica).get("/join?link=18") }},
			{"no link", http.StatusNotFound, func() answer { return b.browser(b.replica).get("/join") }},
		},
		"POST /join": {
			join(http.StatusUnprocessableEntity, "18", "short"),
			join(http.StatusSeeOther, "18", password), join(http.StatusSeeOther, "18", password), // repeated
			join(http.StatusNotFound, "17", password),
		},
		"GET /forgot": {{"forgot", http.StatusOK, func() answer { return b.browser(b.replica).get("/forgot") }}},
		"POST /forgot": {
			forgot(rowID(14)), forgot(rowID(14)), // with a link, and once more
			forgot(rowID(15)), forgot(nobody),
		},
		"GET /account": {{"account", http.StatusOK, func() answer { return person.get("/account") }}},
		"POST /account/sessions": {ending(url.Values{"session": {rowID(7)}}), {"others", http.StatusSeeOther, func() answer {
			who := b.member(b.acme)
			b.person(b.replica, who)
			here := b.person(b.replica, who)
			return here.submit("/account/sessions", here.ending("Log out everywhere else"))
		}}},
		"POST /account": {own(http.StatusSeeOther, password), own(http.StatusSeeOther, "a repeat has another one")},
	}
}

// everySetting returns the requests of the routes of the settings, which are a single record.
func (b *bundle) everySetting(program, person *client) map[string][]request {
	of := settings()
	invalid := change(of.command, "country", "XX")
	return map[string][]request{
		"GET /settings": gets(person, "/settings"), "GET /api/v1/settings": gets(program, "/api/v1/settings"),
		"POST /settings/edit": b.formEdits(person, edits{resource: of, mine: of.edited.command, others: of.other, broken: invalid}),
		"GET /settings/edit":  gets(person, "/settings/edit?key=fresh"),
		"PUT /api/v1/settings": append(b.apiEdits(program, edits{resource: of, mine: of.command, others: of.other, broken: invalid}, 1),
			asking(person, "/settings/edit?key=form+edit")), // after the edit by the form
	}
}
