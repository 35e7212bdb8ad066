package site_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"onlyonce/internal/idempotency"
)

func editForms(person *client, path string, id int) []request {
	form := func(want int, of, key string) request { return looked(person, want, path+of+"/edit?key="+key) }
	return []request{
		form(http.StatusOK, rowID(id), "fresh"), form(http.StatusOK, rowID(id), "past+"+strconv.Itoa(id)),
		form(http.StatusNotFound, nobody, "fresh"),
	}
}

// edits are the commands for one record: a valid one, another one, one with a taken value, if a value can be taken, and an
// invalid one.
type edits struct {
	resource

	id                          string
	mine, others, taken, broken url.Values
}

func (b *bundle) formEdits(person *client, of edits) []request {
	return b.editsBy("form ", of, [3]int{http.StatusSeeOther, http.StatusConflict, http.StatusConflict},
		func(id, key string, version int, command url.Values) answer {
			form := change(command, "idempotency_key", key)
			if version > 0 {
				form.Set("version", strconv.Itoa(version))
			}
			return person.submit(of.recordAt(id)+"/edit", form)
		})
}

// apiEdits returns the requests for a record that was changed so many times before.
func (b *bundle) apiEdits(program *client, of edits, before int) []request {
	send := func(id, key string, version int, command url.Values) answer {
		c := program
		if key != "" {
			c = c.with("Idempotency-Key", key)
		}
		if version > 0 {
			c = c.with("If-Match", etag(version+before))
		}
		return c.must(c.send(b.Context(), http.MethodPut, "/api/v1"+of.recordAt(id), of.api.encode(command)))
	}
	all := b.editsBy("api ", of, [3]int{http.StatusOK, http.StatusPreconditionFailed, http.StatusPreconditionRequired}, send)
	return append(all, request{"no key", http.StatusOK, func() answer { return send(of.id, "", 2, of.others) }})
}

// editsBy sends edits in one format. status has the statuses of success, of an outdated version, and of a missing version.
func (b *bundle) editsBy(
	prefix string, of edits, status [3]int, send func(id, key string, version int, command url.Values) answer,
) []request {
	ask := func(want int, id, key string, version int, command url.Values) request {
		key = prefix + key
		return request{fmt.Sprint(key, " from version ", version), want, func() answer { return send(id, key, version, command) }}
	}
	taken := http.StatusConflict
	if of.taken == nil { // no value can be taken
		of.taken, taken = of.mine, status[0]
	}
	done := ask(status[0], of.id, "edit", 1, of.mine)
	all := []request{
		done, done, // replayed
		ask(http.StatusUnprocessableEntity, of.id, "edit", 2, of.others), // mismatch
		ask(status[1], of.id, "stale", 1, of.others),
		ask(status[2], of.id, "no version", 0, of.others),
		ask(taken, of.id, "taken", 2, of.taken),
		ask(http.StatusUnprocessableEntity, of.id, "invalid", 2, of.broken),
		ask(status[0], of.id, "same", 2, of.mine), // unchanged
		b.expiry(), done,
	}
	if !of.only {
		all = append(all, ask(http.StatusNotFound, nobody, "nobody", 1, of.others))
	}
	return all
}

// everyTransition returns the requests of the routes of every transition of some resources, each for another record, in a state from which the
// transition can be made.
func (b *bundle) everyTransition(resources []resource, program, person *client) map[string][]request {
	b.Helper()
	routes, n := map[string][]request{}, 20 // other requests use the records before
	for _, of := range b.casesOf(resources...) {
		if of.kind != idempotency.Transition {
			continue
		}
		ready := func() string {
			n++
			for _, verb := range of.state.from {
				path, key := of.resource.recordAt(rowID(n))+"/"+verb, fmt.Sprint("before ", n)
				if a := person.submit(path, url.Values{"idempotency_key": {key}}); a.status != http.StatusSeeOther {
					b.Errorf("%s, which comes before %s: %v", path, of.operation, a)
				}
			}
			return rowID(n)
		}
		routes["POST "+of.form] = b.transitionsBy("form ", ready(), http.StatusSeeOther, func(id, key string) answer {
			return person.submit(strings.ReplaceAll(of.form, "{id}", id), url.Values{"idempotency_key": {key}})
		})
		if of.resource.people {
			continue
		}
		record := ready()
		send := func(id, key string) answer {
			c := program
			if key != "" {
				c = c.with("Idempotency-Key", key)
			}
			return c.post("/api/v1"+strings.ReplaceAll(of.form, "{id}", id), "")
		}
		routes["POST "+of.api] = append(b.transitionsBy("api ", record, http.StatusOK, send),
			request{"no key", http.StatusOK, func() answer { return send(record, "") }})
	}
	return routes
}

// transitionsBy makes a transition in one format. status is the status of success.
func (b *bundle) transitionsBy(prefix, record string, status int, send func(id, key string) answer) []request {
	ask := func(want int, id, key string) request {
		return request{prefix + key, want, func() answer { return send(id, prefix+key) }}
	}
	done := ask(status, record, "first")
	return []request{
		done, done, // replayed
		ask(status, record, "again"), // unchanged
		ask(http.StatusNotFound, nobody, "nobody"),
		b.expiry(), done,
	}
}
