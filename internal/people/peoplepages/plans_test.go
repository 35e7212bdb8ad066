package peoplepages_test

import (
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"testing"
	"time"

	"onlyonce/internal/assert"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/people/attempt"
	"onlyonce/internal/people/peoplecases"
	"onlyonce/internal/site/sitecases"
	"onlyonce/internal/site/sitetest"

	"golang.org/x/net/html"
)

func TestPlans(t *testing.T) {
	sitetest.Plans(t, sitetest.Plan{
		Room: "internal/people/", Resources: peoplecases.Resources(), Background: keepsAttempts,
		Requests: func(b *sitetest.Bundle, program, person *sitetest.Client) map[string][]sitetest.Request {
			routes := map[string][]sitetest.Request{"GET /attempts": sitetest.Gets(person, attemptPages()...)}
			maps.Copy(routes, sitetest.EveryEvent(program, person, "/settings/events", "/settings/events"))
			for _, path := range []string{"/people", "/tokens"} {
				maps.Copy(routes, sitetest.EveryEvent(nil, person, path+"/{id}/events", path+"/"+sitetest.RowID(7)+"/events"))
			}
			maps.Copy(routes, everySignIn(b, person))
			maps.Copy(routes, everySignUp(b))
			maps.Copy(routes, everyInstallation(b))
			maps.Copy(routes, everySetting(b, program, person))
			maps.Copy(routes, everyPerson(b, person))
			maps.Copy(routes, b.EveryOwners(person, peoplecases.APITokens(), url.Values{"name": {"token 7"}, "role": {"member"}}))
			return routes
		},
	}, sitecases.Resources(), sitecases.Grow)
}

// keepsAttempts records an attempt, and deletes old ones.
func keepsAttempts(p *sitetest.Planner) {
	p.During("deleting attempts", func() {
		before := time.UnixMilli(0x01900000_0000).Add(time.Millisecond)
		_, err := attempt.Expire(p.Context(), p.Pool, p.Acme.ID, before, attempt.MaxKept)
		assert.Thatf(p, err == nil, "%v", err)
	})
	p.During("keeping attempts", func() {
		recorder := attempt.Start(attempt.Config{Pool: p.Pool, Log: slog.New(slog.DiscardHandler)})
		intent := idempotency.Intent{Tenant: p.Acme.ID}
		recorder.Observe(idempotency.Attempt{Operation: "test", Intent: intent, Outcome: idempotency.Created})
		recorder.Close(p.Context())
		assert.Thatf(p, recorder.Kept() == 1, "kept %d", recorder.Kept())
	})
}

func everyPerson(b *sitetest.Bundle, person *sitetest.Client) map[string][]sitetest.Request {
	of := peoplecases.Users()
	mine := sitetest.Change(of.Edited.Command, "email", "12@people.example", "role", "member")
	routes := b.EveryOwners(person, of, sitetest.Change(of.Command, "email", "7@people.example"))
	routes["POST /people"] = append(routes["POST /people"], b.FormOf(person, of, http.StatusConflict, "elsewhere",
		sitetest.Change(of.Command, "email", b.Globex.Email)))
	routes["GET /people/{id}/edit"] = sitetest.EditForms(person, "/people/", 11)
	routes["POST /people/{id}/edit"] = b.FormEdits(person, sitetest.Edits{
		Resource: of, ID: sitetest.RowID(12), Mine: mine, Others: sitetest.Change(mine, "name", "Grace"),
		Taken: sitetest.Change(mine, "email", "7@PEOPLE.example"), Broken: sitetest.Change(mine, "email", "7"),
	})
	routes["POST /people/{id}/disable"] = []sitetest.Request{
		{What: "the last owner", Want: http.StatusConflict, Send: func() sitetest.Answer {
			return person.Submit("/people/"+b.Acme.ID.String()+"/disable", url.Values{"idempotency_key": {"last owner"}})
		}},
	}
	return routes
}

// everySignUp returns the requests of the routes of sign-ups. The link of each is its number.
func everySignUp(b *sitetest.Bundle) map[string][]sitetest.Request {
	stranger, form := b.Browser(b.Replica), "/sign-ups/"+sitetest.RowID(18)+"/start"
	ask := func(want int, key, email string) sitetest.Request {
		return b.FormOf(stranger, peoplecases.SignUps(), want, key, url.Values{"email": {email}})
	}
	start := func(want int, link, key string) sitetest.Request {
		return sitetest.Request{What: key, Want: want, Send: func() sitetest.Answer {
			return stranger.Submit(form, sitetest.Change(business(), "link", link, "idempotency_key", key))
		}}
	}
	return map[string][]sitetest.Request{
		"GET /sign-ups/new": sitetest.Gets(stranger, "/sign-ups/new?key=fresh"),
		"POST /sign-ups": {
			ask(http.StatusSeeOther, "made", "new@people.example"), ask(http.StatusSeeOther, "made", "new@people.example"),
			ask(http.StatusUnprocessableEntity, "made", "other@people.example"), ask(http.StatusUnprocessableEntity, "invalid", "x"),
			ask(http.StatusSeeOther, "open", "7@people.example"),
		},
		"GET /sign-ups/{id}": {
			sitetest.Looked(stranger, http.StatusOK, "/sign-ups/"+sitetest.RowID(7)),
			sitetest.Looked(stranger, http.StatusNotFound, "/sign-ups/"+sitetest.Nobody),
		},
		"GET /sign-ups/{id}/start": {
			sitetest.Looked(stranger, http.StatusOK, form+"?key=fresh&link=18"),
			sitetest.Looked(stranger, http.StatusConflict, form+"?key=fresh&link=17"),
		},
		"POST /sign-ups/{id}/start": {
			start(http.StatusConflict, "17", "wrong"),
			{What: "taken", Want: http.StatusConflict, Send: func() sitetest.Answer {
				return stranger.Submit("/sign-ups/"+sitetest.RowID(19)+"/start",
					sitetest.Change(business(), "link", "19", "idempotency_key", "taken"))
			}},
			{What: "free", Want: 0, Send: func() sitetest.Answer {
				b.Exec(`UPDATE sign_ups SET email = 'free@people.example' WHERE id = $1`, sitetest.RowID(18))
				return sitetest.Answer{}
			}},
			start(http.StatusSeeOther, "18", "start"), start(http.StatusSeeOther, "18", "start"), start(http.StatusSeeOther, "18", "again"),
		},
	}
}

// everySetting returns the requests of the routes of the settings, which are a single record.
func everySetting(b *sitetest.Bundle, program, person *sitetest.Client) map[string][]sitetest.Request {
	of := peoplecases.Settings()
	invalid := sitetest.Change(of.Command, "country", "XX")
	return map[string][]sitetest.Request{
		"GET /settings": sitetest.Gets(person, "/settings"), "GET /api/v1/settings": sitetest.Gets(program, "/api/v1/settings"),
		"POST /settings/edit": b.FormEdits(
			person,
			sitetest.Edits{Resource: of, Mine: of.Edited.Command, Others: of.Other, Broken: invalid},
		),
		"GET /settings/edit": sitetest.Gets(person, "/settings/edit?key=fresh"),
		"PUT /api/v1/settings": append(
			b.APIEdits(program, sitetest.Edits{Resource: of, Mine: of.Command, Others: of.Other, Broken: invalid}, 1),
			sitetest.Asking(person, "/settings/edit?key=form+edit"),
		), // after the edit by the form
	}
}

// everySignIn returns the requests of logins and passwords. The password of the person stays the same.
func everySignIn(b *sitetest.Bundle, person *sitetest.Client) map[string][]sitetest.Request {
	join := func(want int, link, password string) sitetest.Request {
		return sitetest.Request{What: link, Want: want, Send: func() sitetest.Answer {
			return b.Browser(b.Replica).Submit("/join", url.Values{"link": {link}, "password": {password}})
		}}
	}
	own := func(want int, current string) sitetest.Request {
		return sitetest.Request{What: current, Want: want, Send: func() sitetest.Answer {
			return person.Submit("/account", url.Values{"password": {current}, "new_password": {sitetest.Password}})
		}}
	}
	forgot := func(id string) sitetest.Request {
		return sitetest.Request{What: id, Want: http.StatusSeeOther, Send: func() sitetest.Answer {
			email := sitetest.Get[string](b,
				`SELECT COALESCE((SELECT email FROM users WHERE tenant_id = $1 AND id = $2), 'nobody@people.example')`, b.Acme.ID, id)
			return b.Browser(b.Replica).Submit("/forgot", url.Values{"email": {email}})
		}}
	}
	ending := func(form url.Values) sitetest.Request {
		return sitetest.Request{
			What: form.Encode(),
			Want: http.StatusSeeOther,
			Send: func() sitetest.Answer { return person.Submit("/account/sessions", form) },
		}
	}
	return map[string][]sitetest.Request{
		"GET /login":          sitetest.Gets(b.Browser(b.Replica), "/login"),
		"GET /logged-out.css": sitetest.Gets(b.Browser(b.Replica), "/logged-out.css"),
		"POST /login": {
			{
				What: "log in",
				Want: http.StatusSeeOther,
				Send: func() sitetest.Answer { return b.Browser(b.Replica).LogIn(b.Acme, sitetest.Password) },
			},
			{What: "wrong password", Want: 0, Send: func() sitetest.Answer { return b.Browser(b.Replica).LogIn(b.Acme, "wrong") }},
		},
		"POST /logout": {{What: "log out", Want: http.StatusSeeOther, Send: func() sitetest.Answer {
			return b.Person(b.Replica, b.Acme).Submit("/logout", nil)
		}}},
		"GET /join": {
			{What: "a link", Want: http.StatusOK, Send: func() sitetest.Answer { return b.Browser(b.Replica).Get("/join?link=18") }},
			{What: "no link", Want: http.StatusNotFound, Send: func() sitetest.Answer { return b.Browser(b.Replica).Get("/join") }},
		},
		"POST /join": {
			join(http.StatusUnprocessableEntity, "18", "short"),
			join(http.StatusSeeOther, "18", sitetest.Password), join(http.StatusSeeOther, "18", sitetest.Password), // repeated
			join(http.StatusNotFound, "17", sitetest.Password),
		},
		"GET /forgot": {{What: "forgot", Want: http.StatusOK, Send: func() sitetest.Answer { return b.Browser(b.Replica).Get("/forgot") }}},
		"POST /forgot": {
			forgot(sitetest.RowID(14)), forgot(sitetest.RowID(14)), // with a link, and once more
			forgot(sitetest.RowID(15)), forgot(sitetest.Nobody),
		},
		"GET /account": {{What: "account", Want: http.StatusOK, Send: func() sitetest.Answer { return person.Get("/account") }}},
		"POST /account/sessions": {
			ending(url.Values{"session": {sitetest.RowID(7)}}),
			{What: "others", Want: http.StatusSeeOther, Send: func() sitetest.Answer {
				who := b.Member(b.Acme)
				b.Person(b.Replica, who)
				here := b.Person(b.Replica, who)
				return here.Submit("/account/sessions", formOn(here, "/account", "Log out everywhere else"))
			}},
		},
		"POST /account": {own(http.StatusSeeOther, sitetest.Password), own(http.StatusSeeOther, "a repeat has another one")},
	}
}

// formOn returns the form of the first button with a text on a page.
func formOn(c *sitetest.Client, path, button string) url.Values {
	c.B.Helper()
	for _, form := range sitetest.Elements(c.B.Page(c.Get(path)).Root, "form") {
		if !hasButton(form, button) {
			continue
		}
		values := url.Values{}
		for _, hidden := range sitetest.Elements(form, "input") {
			name, _ := sitetest.Attr(hidden, "name")
			value, _ := sitetest.Attr(hidden, "value")
			values.Add(name, value)
		}
		return values
	}
	c.B.Fatalf("no button %q", button)
	return nil
}

func hasButton(form *html.Node, says string) bool {
	for _, n := range sitetest.Elements(form, "button") {
		if sitetest.Text(n) == says {
			return true
		}
	}
	return false
}
