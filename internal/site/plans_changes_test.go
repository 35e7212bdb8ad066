package site_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"onlyonce/internal/idempotency"
)

// everyChange returns the requests of the routes that change a customer, each with one of its own.
func (b *bundle) everyChange(program, person *client) map[string][]request {
	c := customers()
	customer := func(id int) edits {
		mine := change(c.edited, "email", strconv.Itoa(id)+"@example.com")
		return edits{
			c, rowID(id), mine, change(mine, "name", "Grace"), change(mine, "email", "7@EXAMPLE.com"),
			change(mine, "email", "7", "name", ""),
		}
	}
	return map[string][]request{
		"GET /customers/{id}/edit":   editForms(person, "/customers/", 11),
		"POST /customers/{id}/edit":  b.formEdits(person, customer(12)),
		"PUT /api/v1/customers/{id}": b.apiEdits(program, customer(13)),
	}
}

func editForms(person *client, path string, id int) []request {
	form := func(what string, want int, of, key string) request {
		return request{what, want, func() answer { return person.get(path + of + "/edit?key=" + key) }}
	}
	return []request{
		form("a form", http.StatusOK, rowID(id), "fresh"),
		form("a used form", http.StatusOK, rowID(id), "past+"+strconv.Itoa(id)),
		form("nobody's", http.StatusNotFound, nobody, "fresh"),
	}
}

// everySetting returns the requests of the routes of the settings, of which there is one record.
func (b *bundle) everySetting(program, person *client) map[string][]request {
	of := settings()
	get := func(c *client, path string) request {
		return request{path, http.StatusOK, func() answer { return c.get(path) }}
	}
	form := func(want int, key, version string, command url.Values) request {
		return request{key + " from version " + version, want, func() answer {
			return person.submit("/settings/edit", change(command, "idempotency_key", key, "version", version))
		}}
	}
	api := func(want int, key, tag string, command url.Values) request {
		return request{key + " from " + tag, want, func() answer {
			c := program.with("Idempotency-Key", key).with("If-Match", tag)
			return c.must(c.send(b.Context(), http.MethodPut, "/api/v1/settings", of.json(command)))
		}}
	}
	edit, put := form(http.StatusSeeOther, "settings form", "1", of.edited), api(http.StatusOK, "settings", `"v2"`, of.command)
	return map[string][]request{
		"GET /settings": {get(person, "/settings")}, "GET /api/v1/settings": {get(program, "/api/v1/settings")},
		"GET /settings/edit": {get(person, "/settings/edit?key=fresh")},
		"POST /settings/edit": {
			edit, edit, // replayed
			form(http.StatusUnprocessableEntity, "settings form", "2", of.other), // mismatch
			form(http.StatusConflict, "stale", "1", of.other),
			form(http.StatusConflict, "no version", "", of.other),
			form(http.StatusUnprocessableEntity, "invalid", "2", change(of.command, "country", "XX")),
			form(http.StatusSeeOther, "same", "2", of.edited), // unchanged
			b.expiry(), edit, get(person, "/settings/edit?key=settings+form"),
		},
		"PUT /api/v1/settings": { // behind the form
			put, put, // replayed
			api(http.StatusUnprocessableEntity, "settings", `"v3"`, of.other), // mismatch
			api(http.StatusPreconditionFailed, "stale", `"v1"`, of.other),
			api(http.StatusUnprocessableEntity, "invalid", `"v3"`, change(of.command, "country", "XX")),
			api(http.StatusOK, "api same", `"v3"`, of.command), // unchanged
			b.expiry(), put,
		},
	}
}

// edits are what is made of one record: a valid command, another one, one with a value that is taken, if one can be, and
// an invalid one.
type edits struct {
	resource

	id                          string
	mine, others, taken, broken url.Values
}

func (b *bundle) formEdits(person *client, of edits) []request {
	send := func(want int, id, key, version string, command url.Values) request {
		return request{key + " from version " + version, want, func() answer {
			return person.submit(of.path+"/"+id+"/edit", change(command, "idempotency_key", key, "version", version))
		}}
	}
	taken := http.StatusConflict
	if of.taken == nil { // nothing can be
		of.taken, taken = of.mine, http.StatusSeeOther
	}
	done := send(http.StatusSeeOther, of.id, "form edit", "1", of.mine)
	return []request{
		done, done, // replayed
		send(http.StatusUnprocessableEntity, of.id, "form edit", "2", of.others), // mismatch
		send(http.StatusConflict, of.id, "stale", "1", of.others),
		send(http.StatusConflict, of.id, "no version", "", of.others),
		send(taken, of.id, "taken", "2", of.taken),
		send(http.StatusUnprocessableEntity, of.id, "invalid", "2", of.broken),
		send(http.StatusSeeOther, of.id, "form same", "2", of.mine), // unchanged
		send(http.StatusNotFound, nobody, "nobody", "1", of.others),
		b.expiry(), done,
	}
}

func (b *bundle) apiEdits(program *client, of edits) []request {
	send := func(want int, id, key, tag string, command url.Values) request {
		return request{key + " from " + tag, want, func() answer {
			c := program
			if key != "" {
				c = c.with("Idempotency-Key", key)
			}
			if tag != "" {
				c = c.with("If-Match", tag)
			}
			return c.must(c.send(b.Context(), http.MethodPut, "/api/v1"+of.path+"/"+id, of.json(command)))
		}}
	}
	taken := http.StatusConflict
	if of.taken == nil {
		of.taken, taken = of.mine, http.StatusOK
	}
	done := send(http.StatusOK, of.id, "edit", `"v1"`, of.mine)
	return []request{
		done, done, // replayed
		send(http.StatusUnprocessableEntity, of.id, "edit", `"v2"`, of.others), // mismatch
		send(http.StatusPreconditionFailed, of.id, "stale", `"v1"`, of.others),
		send(http.StatusPreconditionRequired, of.id, "no version", "", of.others),
		send(taken, of.id, "api taken", `"v2"`, of.taken),
		send(http.StatusUnprocessableEntity, of.id, "invalid", `"v2"`, of.broken),
		send(http.StatusOK, of.id, "same", `"v2"`, of.mine), // unchanged
		send(http.StatusOK, of.id, "", `"v2"`, of.others),
		send(http.StatusNotFound, nobody, "nobody", `"v1"`, of.others),
		b.expiry(), done,
	}
}

// everyTransition returns the requests of the routes of every transition, each with a record of its own, which is brought to where
// it can be made.
func (b *bundle) everyTransition(program, person *client) map[string][]request {
	b.Helper()
	routes, n := map[string][]request{}, 20 // other requests have the records before
	for _, of := range b.subjects() {
		if of.kind != idempotency.Transition {
			continue
		}
		ready := func() string {
			n++
			for _, verb := range of.state.from {
				path, key := of.recordAt(rowID(n))+"/"+verb, fmt.Sprint("before ", n)
				if a := person.submit(path, url.Values{"idempotency_key": {key}}); a.status != http.StatusSeeOther {
					b.Errorf("%s, which comes before %s: %v", path, of.operation, a)
				}
			}
			return rowID(n)
		}
		routes["POST "+of.form] = b.formTransitions(person, of.form, ready())
		if !of.people {
			routes["POST "+of.api] = b.apiTransitions(program, of.form, ready())
		}
	}
	return routes
}

func (b *bundle) formTransitions(person *client, route, record string) []request {
	send := func(want int, id, key string) request {
		to := target{id: id}
		return request{key, want, func() answer { return person.submit(to.at(route), url.Values{"idempotency_key": {key}}) }}
	}
	done := send(http.StatusSeeOther, record, "form")
	return []request{
		done, done, // replayed
		send(http.StatusSeeOther, record, "form again"), // unchanged
		send(http.StatusNotFound, nobody, "nobody"),
		b.expiry(), done,
	}
}

func (b *bundle) apiTransitions(program *client, route, record string) []request {
	send := func(want int, id, key string) request {
		to := target{id: id}
		return request{key, want, func() answer {
			c := program
			if key != "" {
				c = c.with("Idempotency-Key", key)
			}
			return c.post("/api/v1"+to.at(route), "")
		}}
	}
	done := send(http.StatusOK, record, "api")
	return []request{
		done, done, // replayed
		send(http.StatusOK, record, "again"), // unchanged
		send(http.StatusOK, record, ""),
		send(http.StatusNotFound, nobody, "nobody"),
		b.expiry(), done,
	}
}
