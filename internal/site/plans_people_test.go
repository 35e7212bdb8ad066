package site_test

import (
	"net/http"
	"net/url"
)

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

// everyOwners returns the requests that users and tokens have in common: lists, pages and forms.
func (b *bundle) everyOwners(person *client, of resource, taken url.Values) map[string][]request {
	forms := []request{
		b.formOf(person, of, http.StatusSeeOther, "made", of.command),
		b.formOf(person, of, http.StatusSeeOther, "made", of.command),          // replayed
		b.formOf(person, of, http.StatusUnprocessableEntity, "made", of.other), // mismatch
		b.formOf(person, of, http.StatusConflict, "taken", taken),
		b.formOf(person, of, http.StatusUnprocessableEntity, "invalid", change(of.command, "name", "a\u202eb")),
		b.expiry(),
		b.formOf(person, of, http.StatusUnprocessableEntity, "made", of.command),
	}
	return map[string][]request{
		"GET " + of.path: {
			looked(person, http.StatusOK, of.path), looked(person, http.StatusOK, at(of.path+"?limit=100", "", rowID(many/2), false)),
			looked(person, http.StatusOK, at(of.path+"?limit=100", "", rowID(many/2), true)),
		},
		"GET " + of.path + "/new":  gets(person, of.path+"/new?key=fresh", of.path+"/new?key=past+7"),
		"GET " + of.path + "/{id}": gets(person, of.path+"/"+rowID(8), of.path+"/"+nobody),
		"POST " + of.path:          forms,
	}
}

func (b *bundle) formOf(person *client, of resource, want int, key string, command url.Values) request {
	return request{key, want, func() answer { return person.submit(of.path, change(command, "idempotency_key", key)) }}
}

// everyPassword returns the requests that set a password. The password of the person stays the same.
func (b *bundle) everyPassword(person *client) map[string][]request {
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
