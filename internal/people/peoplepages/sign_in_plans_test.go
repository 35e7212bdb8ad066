package peoplepages_test

import (
	"net/http"
	"net/url"

	"golang.org/x/net/html"

	"onlyonce/internal/site/sitetest"
)

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
