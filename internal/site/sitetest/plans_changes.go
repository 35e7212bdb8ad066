package sitetest

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"onlyonce/internal/assert"
	"onlyonce/internal/idempotency"
)

// EditForms returns the requests of the form that edits a record.
func EditForms(person *Client, path string, id int) []Request {
	form := func(want int, of, key string) Request { return Looked(person, want, path+of+"/edit?key="+key) }
	return []Request{
		form(http.StatusOK, RowID(id), "fresh"), form(http.StatusOK, RowID(id), "past+"+strconv.Itoa(id)),
		form(http.StatusNotFound, Nobody, "fresh"),
	}
}

// Edits are the commands for one record: a valid one, another one, one with a taken value, if a value can be taken, and an
// invalid one.
type Edits struct {
	Resource

	ID                          string
	Mine, Others, Taken, Broken url.Values
}

// FormEdits returns the requests that edit a record by its form.
func (b *Bundle) FormEdits(person *Client, of Edits) []Request {
	return b.editsBy("form ", of, [3]int{http.StatusSeeOther, http.StatusConflict, http.StatusConflict},
		func(id, key string, version int, command url.Values) Answer {
			form := Change(command, "idempotency_key", key)
			if version > 0 {
				form.Set("version", strconv.Itoa(version))
			}
			return person.Submit(of.RecordAt(id)+"/edit", form)
		})
}

// APIEdits returns the requests for a record that was changed so many times before.
func (b *Bundle) APIEdits(program *Client, of Edits, before int) []Request {
	send := func(id, key string, version int, command url.Values) Answer {
		c := program
		if key != "" {
			c = c.With("Idempotency-Key", key)
		}
		if version > 0 {
			c = c.With("If-Match", ETag(version+before))
		}
		return c.Must(c.Send(b.Context(), http.MethodPut, "/api/v1"+of.RecordAt(id), of.API.Encode(command)))
	}
	all := b.editsBy("api ", of, [3]int{http.StatusOK, http.StatusPreconditionFailed, http.StatusPreconditionRequired}, send)
	return append(all, Request{"no key", http.StatusOK, func() Answer { return send(of.ID, "", 2, of.Others) }})
}

// editsBy sends edits in one format. status has the statuses of success, of an outdated version, and of a missing version.
func (b *Bundle) editsBy(
	prefix string, of Edits, status [3]int, send func(id, key string, version int, command url.Values) Answer,
) []Request {
	ask := func(want int, id, key string, version int, command url.Values) Request {
		key = prefix + key
		return Request{fmt.Sprint(key, " from version ", version), want, func() Answer { return send(id, key, version, command) }}
	}
	taken := http.StatusConflict
	if of.Taken == nil { // no value can be taken
		of.Taken, taken = of.Mine, status[0]
	}
	done := ask(status[0], of.ID, "edit", 1, of.Mine)
	all := []Request{
		done, done, // replayed
		ask(http.StatusUnprocessableEntity, of.ID, "edit", 2, of.Others), // mismatch
		ask(status[1], of.ID, "stale", 1, of.Others),
		ask(status[2], of.ID, "no version", 0, of.Others),
		ask(taken, of.ID, "taken", 2, of.Taken),
		ask(http.StatusUnprocessableEntity, of.ID, "invalid", 2, of.Broken),
		ask(status[0], of.ID, "same", 2, of.Mine), // unchanged
		b.Expiry(), done,
	}
	if !of.Only {
		all = append(all, ask(http.StatusNotFound, Nobody, "nobody", 1, of.Others))
	}
	return all
}

// everyTransition returns the requests of the routes of every transition of some resources, each for another record, in a state from
// which the transition can be made.
func (b *Bundle) everyTransition(resources []Resource, program, person *Client) map[string][]Request {
	b.Helper()
	routes, n := map[string][]Request{}, 20 // other requests use the records before
	for _, of := range b.CasesOf(resources...) {
		if of.Kind != idempotency.Transition || of.State.Command != nil {
			continue
		}
		ready := func() string {
			n++
			for _, verb := range of.State.From {
				path, key := of.Resource.RecordAt(RowID(n))+"/"+verb, fmt.Sprint("before ", n)
				a := person.Submit(path, url.Values{"idempotency_key": {key}})
				assert.Thatf(b, a.Status == http.StatusSeeOther, "%s, which comes before %s: %v", path, of.Operation, a)
			}
			return RowID(n)
		}
		routes["POST "+of.Form] = b.transitionsBy("form ", ready(), http.StatusSeeOther, func(id, key string) Answer {
			return person.Submit(strings.ReplaceAll(of.Form, "{id}", id), url.Values{"idempotency_key": {key}})
		})
		if of.Resource.People {
			continue
		}
		record := ready()
		send := func(id, key string) Answer {
			c := program
			if key != "" {
				c = c.With("Idempotency-Key", key)
			}
			return c.Post("/api/v1"+strings.ReplaceAll(of.Form, "{id}", id), "")
		}
		routes["POST "+of.API] = append(b.transitionsBy("api ", record, http.StatusOK, send),
			Request{"no key", http.StatusOK, func() Answer { return send(record, "") }})
	}
	return routes
}

// transitionsBy makes a transition in one format. status is the status of success.
func (b *Bundle) transitionsBy(prefix, record string, status int, send func(id, key string) Answer) []Request {
	ask := func(want int, id, key string) Request {
		return Request{prefix + key, want, func() Answer { return send(id, prefix+key) }}
	}
	done := ask(status, record, "first")
	return []Request{
		done, done, // replayed
		ask(status, record, "again"), // unchanged
		ask(http.StatusNotFound, Nobody, "nobody"),
		b.Expiry(), done,
	}
}
