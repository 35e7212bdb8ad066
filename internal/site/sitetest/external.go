package sitetest

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"onlyonce/internal/assert"
)

// external reports whether programs may send the external id of a resource.
func (r Resource) external() bool {
	if r.API.Input == nil {
		return false
	}
	_, has := reflect.TypeOf(r.API.Input).FieldByName("ExternalID")
	return has
}

// externalFormat is JSON with an external id: id, or else one derived from the command.
type externalFormat struct {
	JSON

	id string
}

func (externalFormat) Name() string { return "JSON with an external id" }

func (f externalFormat) Send(ctx context.Context, c *Client, to Case, key string, command url.Values) (Answer, error) {
	to.Resource = to.Resource.Called(f.id)
	return f.JSON.Send(ctx, c, to, key, command)
}

// Called returns the resource whose commands have an external id.
func (r Resource) Called(id string) Resource {
	plain := r.API.Encode
	r.API.Encode = func(form url.Values) string {
		body := plain(form)
		var command map[string]any
		if err := json.Unmarshal([]byte(body), &command); err != nil {
			panic(err)
		}
		command["source"], command["external_id"] = "Shop", id
		if id == "" {
			command["external_id"] = fmt.Sprintf("%x", sha256.Sum256([]byte(body)))
		}
		return Encode(command)
	}
	return r
}

// otherwiseExternally are the rows of the table that behave differently with an external id: see externalCases.
var otherwiseExternally = []string{"upsert hit", "same command, new key, minutes apart"}

// externalCases are rows of the table for operations that create records with an external id.
func externalCases() []row {
	return []row{
		{"same external id, same content", sameExternal, Outcomes(Did, "reused", "replayed", "reused"), nil, false},
		{"same external id, other content", otherExternal, Outcomes(Did, "conflict", "conflict"), nil, false},
		{"external id, and another record with the same natural key", notAttached, Outcomes(Did, "conflict"), upserts, false},
	}
}

func sameExternal(x *Case) {
	first := x.Done()
	again := x.Under("another", x.Command)
	JSON{}.check(x, again)
	assert.Thatf(x, again.Status == http.StatusOK && x.Format.record(x, again) == x.Format.record(x, first) &&
		again.Header.Get("Idempotent-Replayed") == "", "want 200 with the first record: %v", again)
	x.Format.Replayed(x, x.Under("another", x.Command), again)
	shout := *x
	loud := shout.Resource.Called("1")
	shout.Resource.API.Encode = func(form url.Values) string { return strings.Replace(loud.API.Encode(form), `"Shop"`, `"SHOP"`, 1) }
	loudly := x.Caller.Must(JSON{}.Send(x.Context(), x.Caller, shout, "third", x.Command))
	assert.Thatf(x, loudly.Status == http.StatusOK && loudly.Body == again.Body, "by a source in capitals: %v", loudly)
	added := x.added().minus(x.Leaves)
	assert.Thatf(x, added.Equal(Rows{"intents": 2}), "also added rows %v", added)
}

func otherExternal(x *Case) {
	first := x.Done()
	before := x.Contents()
	for range 2 { // the key was not used up, and the answer is the same
		refused := x.Under("another", x.Other)
		x.Format.Refused(x, refused, "external-id-taken", x.Other)
		id := x.Format.record(x, first)
		p := Decode[Problem](x.Bundle, refused)
		assert.Thatf(x, p.ExistingID == id && p.ExistingURL == "/api/v1"+x.Resource.RecordAt(id) &&
			strings.Contains(p.Detail, "If-Match"), "no way to the first record: %+v", p)
	}
	x.wantContents(before)
}

// notAttached: a record that has the natural key and no external id is not given one by creating it again.
func notAttached(x *Case) {
	plain := x.Caller.Must(JSON{}.Send(x.Context(), x.Caller, *x, Key, x.Command))
	x.Format.Done(x, plain)
	before := x.Contents()
	refused := x.Under("another", x.Resource.Repeats.Reused)
	x.Format.Refused(x, refused, "email-taken", x.Resource.Repeats.Reused)
	if p := Decode[Problem](x.Bundle, refused); p.ExistingID != x.Format.record(x, plain) || !strings.Contains(p.Detail, "If-Match") {
		x.Errorf("no way to the other record: %+v", p)
	}
	x.wantContents(before)
}

// CreatedExternally returns the requests that create a record with an external id: one that exists with other content, a new
// one, and the new one again.
func CreatedExternally(program *Client, of Resource, command url.Values) []Request {
	send := func(want int, key, id string) Request {
		return Request{key, want, func() Answer { return program.Create(of.Called(id), "external "+key, command) }}
	}
	return []Request{
		send(http.StatusConflict, "other content", "7"), send(http.StatusCreated, "new", "new"), send(http.StatusOK, "same content", "new"),
		send(http.StatusOK, "same content", "new"), // replayed
	}
}

// FoundExternally returns the requests that find a record by its external id.
func FoundExternally(program *Client, of Resource) []Request {
	return []Request{
		Asking(program, "/api/v1"+of.Path+"?source=shop&external_id=7"), Asking(program, "/api/v1"+of.Path+"?source=none&external_id=7"),
	}
}

// foundByExternalID: records are found by their external ids, also below another record, and by each spelling of the
// source. Other tenants' records aren't found, and nothing else beside the record.
func foundByExternalID(x *Case) {
	b, of := x.Bundle, x.Resource.unplaced()
	made := b.Prepared(b.Acme, "mine", b.Placed(of, b.Acme, "mine").Called("a 1"), of.Command)
	b.Prepared(b.Globex, "theirs", b.Placed(of, b.Globex, "theirs").Called("a 2"), of.of(b.Globex, of.Command))
	program, rows := b.Program(b.Replica, b.Acme), strings.ReplaceAll(of.Path[1:], "-", "_")
	find := func(query string) Answer { return program.Get("/api/v1" + of.Path + "?" + query) }
	for query, want := range map[string][]string{
		"source=Shop&external_id=a+1": {made.ID}, "source=shop&external_id=a%201&limit=1": {made.ID},
		"source=shop&external_id=A+1": nil, "source=mart&external_id=a+1": nil, "source=shop&external_id=a+2": nil,
	} {
		found := find(query)
		var ids []string
		for _, one := range Decode[map[string][]Created](b, found)[rows] {
			ids = append(ids, one.ID)
		}
		assert.Thatf(b, found.Status == http.StatusOK && slices.Equal(ids, want), "%s: want %v, got %v", query, want, found)
	}
	for query, pointer := range map[string]string{
		"source=shop": "/external_id", "external_id=1": "/source", "source=shop&external_id=1&q=ada": "/q",
		"source=shop&external_id=1&external_id=2": "/external_id", "source=shop&external_id=%C3%A4": "/external_id",
		"source=shop&external_id=a++1": "/external_id",
	} {
		a := find(query)
		p := Decode[Problem](b, a)
		assert.Thatf(b, a.Status == http.StatusUnprocessableEntity && len(p.Errors) == 1 && p.Errors[0].Pointer == pointer,
			"%s: want %s, got %v", query, pointer, a)
	}
	if one := program.Get("/api/v1" + of.RecordAt(made.ID)).Body; !strings.Contains(one, `"source":"Shop"`) ||
		!strings.Contains(one, `"external_id":"a 1"`) {
		b.Errorf("the record does not say what others call it: %s", one)
	}
	page := b.Page(b.Person(b.Replica, b.Acme).Get(b.Placed(of, b.Acme, "mine").PageOf(made.ID)))
	if page.Says("a 1"); of.Parent != nil {
		page.Says("Shop")
	}
}
