package site_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"
)

// external reports whether programs may send the external id of a resource.
func (r resource) external() bool {
	if r.api.input == nil {
		return false
	}
	_, has := reflect.TypeOf(r.api.input).FieldByName("ExternalID")
	return has
}

// externalFormat is JSON with an external id: id, or else one derived from the command.
type externalFormat struct {
	jsonFormat

	id string
}

func (externalFormat) name() string { return "JSON with an external id" }

func (f externalFormat) send(ctx context.Context, c *client, to caseRun, key string, command url.Values) (answer, error) {
	to.resource = to.resource.called(f.id)
	return f.jsonFormat.send(ctx, c, to, key, command)
}

// called returns the resource whose commands have an external id.
func (r resource) called(id string) resource {
	plain := r.api.encode
	r.api.encode = func(form url.Values) string {
		body := plain(form)
		var command map[string]any
		if err := json.Unmarshal([]byte(body), &command); err != nil {
			panic(err)
		}
		command["source"], command["external_id"] = "Shop", id
		if id == "" {
			command["external_id"] = fmt.Sprintf("%x", sha256.Sum256([]byte(body)))
		}
		return encode(command)
	}
	return r
}

// otherwiseExternally are the rows of the table that behave differently with an external id: see externalCases.
var otherwiseExternally = []string{"upsert hit", "same command, new key, minutes apart"}

// externalCases are rows of the table for operations that create records with an external id.
func externalCases() []row {
	return []row{
		{"same external id, same content", sameExternal, outcomes(did, "reused", "replayed", "reused"), nil, false},
		{"same external id, other content", otherExternal, outcomes(did, "conflict", "conflict"), nil, false},
		{"external id, and another record with the same natural key", notAttached, outcomes(did, "conflict"), upserts, false},
	}
}

func sameExternal(x *caseRun) {
	first := x.ask(x.command)
	x.format.done(x, first)
	again := x.under("another", x.command)
	jsonFormat{}.check(x, again)
	if again.status != http.StatusOK || x.format.record(x, again) != x.format.record(x, first) ||
		again.header.Get("Idempotent-Replayed") != "" {
		x.Errorf("want 200 with the first record: %v", again)
	}
	x.format.replayed(x, x.under("another", x.command), again)
	shout := *x
	loud := shout.resource.called("1")
	shout.resource.api.encode = func(form url.Values) string { return strings.Replace(loud.api.encode(form), `"Shop"`, `"SHOP"`, 1) }
	loudly := x.caller.must(jsonFormat{}.send(x.Context(), x.caller, shout, "third", x.command))
	if loudly.status != http.StatusOK || loudly.body != again.body {
		x.Errorf("by a source in capitals: %v", loudly)
	}
	if added := x.added().minus(x.leaves); !added.equal(rows{"intents": 2}) {
		x.Errorf("also added rows %v", added)
	}
}

func otherExternal(x *caseRun) {
	first := x.ask(x.command)
	x.format.done(x, first)
	before := x.contents()
	for range 2 { // the key was not used up, and the answer is the same
		refused := x.under("another", x.other)
		x.format.refused(x, refused, "external-id-taken", x.other)
		id := x.format.record(x, first)
		if p := decode[problem](x.bundle, refused); p.ExistingID != id || p.ExistingURL != "/api/v1"+x.resource.recordAt(id) ||
			!strings.Contains(p.Detail, "If-Match") {
			x.Errorf("no way to the first record: %+v", p)
		}
	}
	wantUnchanged(x.bundle, "what was refused", before, x.contents())
}

// notAttached: a record that has the natural key and no external id is not given one by creating it again.
func notAttached(x *caseRun) {
	plain := x.caller.must(jsonFormat{}.send(x.Context(), x.caller, *x, key, x.command))
	x.format.done(x, plain)
	before := x.contents()
	refused := x.under("another", x.resource.repeats.reused)
	x.format.refused(x, refused, "email-taken", x.resource.repeats.reused)
	if p := decode[problem](x.bundle, refused); p.ExistingID != x.format.record(x, plain) || !strings.Contains(p.Detail, "If-Match") {
		x.Errorf("no way to the other record: %+v", p)
	}
	wantUnchanged(x.bundle, "what was refused", before, x.contents())
}

// TestExternalUpdate: a program that may not create a record again updates it with PUT, from the version that it has seen. Its
// next sync then finds its own content. Later changes by people stay.
func TestExternalUpdate(t *testing.T) {
	b := setup(t)
	of := customers().called("1")
	program, person := b.program(b.replica, b.acme), b.person(b.replica, b.acme)
	made := program.create(of, "first", of.command)
	address := made.location()
	edited := change(of.command, "name", "Ada King")
	put := func(key, tag string) answer {
		c := program.with("Idempotency-Key", key).with("If-Match", tag)
		return c.must(c.send(t.Context(), http.MethodPut, address, of.api.encode(edited)))
	}
	if a := program.create(of, "edited", edited); a.status != http.StatusConflict {
		t.Errorf("%v", a)
	}
	if a := put("stale", etag(2)); a.status != http.StatusPreconditionFailed {
		t.Errorf("%v", a)
	}
	if a := put("update", etag(1)); a.status != http.StatusOK || !strings.Contains(a.body, "Ada King") {
		t.Errorf("%v", a)
	}
	if a := program.create(of, "edited", edited); a.status != http.StatusOK {
		t.Errorf("%v", a)
	}
	if a := program.create(of, "outdated", of.command); a.status != http.StatusConflict {
		t.Errorf("%v", a)
	}
	byHand := change(of.command, "name", "Countess Ada", "idempotency_key", "by hand", "version", "2")
	if a := person.submit(strings.TrimPrefix(address, "/api/v1")+"/edit", byHand); a.status != http.StatusSeeOther {
		t.Errorf("%v", a)
	}
	if a := program.create(of, "again", edited); a.status != http.StatusOK || !strings.Contains(a.body, "Countess Ada") ||
		!strings.Contains(a.body, `"external_id":"1"`) {
		t.Errorf("%v", a)
	}
	b.wantRows(rows{"customers": 1, "intents": 5})
}

// createdExternally returns the requests that create a record with an external id: one that exists with other content, a new
// one, and the new one again.
func createdExternally(program *client, of resource, command url.Values) []request {
	send := func(want int, key, id string) request {
		return request{key, want, func() answer { return program.create(of.called(id), "external "+key, command) }}
	}
	return []request{
		send(http.StatusConflict, "other content", "7"), send(http.StatusCreated, "new", "new"), send(http.StatusOK, "same content", "new"),
		send(http.StatusOK, "same content", "new"), // replayed
	}
}

// foundExternally returns the requests that find a record by its external id.
func foundExternally(program *client, of resource) []request {
	return []request{
		asking(program, "/api/v1"+of.path+"?source=shop&external_id=7"), asking(program, "/api/v1"+of.path+"?source=none&external_id=7"),
	}
}
