package sitetest

import (
	"context"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"

	"onlyonce/internal/assert"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/must"
)

// JSON is the column of the JSON API.
type JSON struct{}

// Created holds the fields that all records have in common.
type Created struct {
	ID      string `json:"id"`
	Number  string `json:"number"`
	Version int    `json:"version"`

	PossibleDuplicateOf string `json:"possible_duplicate_of"`
}

// Problem is a problem document.
type Problem struct {
	Type        string `json:"type"`
	Title       string `json:"title"`
	Status      int    `json:"status"`
	Detail      string `json:"detail"`
	Docs        string `json:"docs"`
	ExistingID  string `json:"existing_id"`
	ExistingURL string `json:"existing_url"`
	NextNumber  string `json:"next_number"`
	Open        string `json:"open"`
	Left        string `json:"left"`
	Position    string `json:"position"`
	RequestID   string `json:"request_id"`
	Errors      []struct {
		Pointer string `json:"pointer"`
		Detail  string `json:"detail"`
	} `json:"errors"`
}

// Name is the name in the names of subtests.
func (JSON) Name() string { return "JSON" }

// Caller returns a program.
func (JSON) Caller(b *Bundle, at *Replica, t Tenant) *Client { return b.Program(at, t) }

// Send sends a command.
func (JSON) Send(ctx context.Context, c *Client, to Case, key string, command url.Values) (Answer, error) {
	if key != "" {
		c = c.With("Idempotency-Key", key)
	}
	if to.Kind == idempotency.Change && to.Seen != 0 {
		c = c.With("If-Match", ETag(to.Seen))
	}
	body := ""
	if to.Kind != idempotency.Transition {
		body = to.Resource.API.Encode(command)
	}
	return c.Send(ctx, to.Method, to.at(to.API), body)
}

// ETag returns the ETag of a version.
func ETag(version int) string { return `"v` + strconv.Itoa(version) + `"` }

// withoutSecret returns the answer to a create without the secret, which is in no other answer.
func withoutSecret(body string) string {
	return regexp.MustCompile(`,"secret":"[^"]+"`).ReplaceAllString(body, "")
}

// Done checks a first success, and that the record is shown in the same way.
func (f JSON) Done(x *Case, a Answer) {
	x.Helper()
	status := http.StatusCreated
	if x.Kind.Changes() {
		status = http.StatusOK
	}
	must.Thatf(x, a.Status == status && a.Header.Get("Idempotent-Replayed") == "", "not done: %v", a)
	version := f.check(x, a)
	want := x.Seen + 1
	assert.Thatf(x, version == want, "version %d, want %d", version, want)
	shown := x.Caller.Get(f.address(x, a))
	same := shown.Body == withoutSecret(a.Body) && shown.Header.Get("ETag") == a.Header.Get("ETag")
	assert.Thatf(x, shown.Status == http.StatusOK && same, "done %v\nis shown as %v", a, shown)
}

func (f JSON) address(x *Case, a Answer) string {
	x.Helper()
	return "/api/v1" + x.Resource.RecordAt(f.record(x, a))
}

// check compares the headers of a success with its body, and returns the version.
func (f JSON) check(x *Case, a Answer) (version int) {
	x.Helper()
	record := Decode[Created](x.Bundle, a)
	location := f.address(x, a)
	if x.Kind.Changes() {
		location = "" // the caller knows it
	}
	assert.Thatf(x, record.ID != "" && a.Location() == location, "Location %q, want %q", a.Location(), location)
	assert.Thatf(x, a.Header.Get("ETag") == ETag(record.Version), "ETag %q of version %d", a.Header.Get("ETag"), record.Version)
	got := a.Header.Get("Content-Type")
	assert.Thatf(x, got == "application/json", "content type %q", got)
	return record.Version
}

// Replayed checks that an answer equals the first one, and is marked as a replay.
func (f JSON) Replayed(x *Case, again, first Answer) {
	x.Helper()
	f.check(x, again)
	assert.Thatf(x, again.Header.Get("Idempotent-Replayed") == "true", "not marked as a replay: %v", again)
	assert.Thatf(x, again.Status == first.Status && again.Body == first.Body && again.Location() == first.Location() &&
		again.Header.Get("ETag") == first.Header.Get("ETag"), "first %v\nagain %v", first, again)
}

// Refused checks a problem document.
func (JSON) Refused(x *Case, a Answer, slug string, _ url.Values, wrong ...string) {
	x.Helper()
	must.Thatf(x, a.Status == statusOf(slug) && a.Header.Get("Content-Type") == "application/problem+json", "want %s, got %v", slug, a)
	p := Decode[Problem](x.Bundle, a)
	assert.Thatf(x, p.Type == "/problems/"+slug && p.Status == a.Status && p.Title != "" && p.Detail != "" && p.RequestID != "",
		"want %s, got %+v", slug, p)
	switch slug {
	case "key-missing":
		assert.Thatf(x, p.Docs != "", "no link to the docs")
	case "key-reused":
		assert.Thatf(x, p.ExistingID != "" && p.ExistingURL == "/api/v1"+x.Resource.RecordAt(p.ExistingID) &&
			x.Caller.Get(p.ExistingURL).Status == http.StatusOK, "no way to the first record: %+v", p)
	case "changed-meanwhile":
		got, want := a.Header.Get("ETag"), x.Caller.Get("/api/v1"+x.Resource.RecordAt(x.ID)).Header.Get("ETag")
		assert.Thatf(x, got == want, "ETag %q, and the record has %q", got, want)
	default:
	}
	var where []string
	for _, e := range p.Errors {
		where = append(where, e.Pointer)
	}
	assert.Thatf(x, slices.Equal(where, wrong), "errors at %v, want %v", where, wrong)
	checkRetryAfter(x, a, slug)
}

func (JSON) record(x *Case, a Answer) string { return Decode[Created](x.Bundle, a).ID }
