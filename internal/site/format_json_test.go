package site_test

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"onlyonce/internal/idempotency"
)

// jsonFormat is the column of the JSON API.
type jsonFormat struct{}

// created holds the fields that all records have in common.
type created struct {
	ID      string `json:"id"`
	Number  string `json:"number"`
	Version int    `json:"version"`

	PossibleDuplicateOf string `json:"possible_duplicate_of"`
}

// problem is a problem document.
type problem struct {
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

func (jsonFormat) name() string { return "JSON" }

func (jsonFormat) caller(b *bundle, at *replica, t tenant) *client { return b.program(at, t) }

func (jsonFormat) send(ctx context.Context, c *client, to caseRun, key string, command url.Values) (answer, error) {
	if key != "" {
		c = c.with("Idempotency-Key", key)
	}
	if to.kind == idempotency.Change && to.seen != 0 {
		c = c.with("If-Match", etag(to.seen))
	}
	body := ""
	if to.kind != idempotency.Transition {
		body = to.resource.api.encode(command)
	}
	return c.send(ctx, to.method, to.at(to.api), body)
}

func etag(version int) string { return `"v` + strconv.Itoa(version) + `"` }

func (f jsonFormat) done(x *caseRun, a answer) {
	x.Helper()
	status := http.StatusCreated
	if x.kind.Changes() {
		status = http.StatusOK
	}
	if a.status != status || a.header.Get("Idempotent-Replayed") != "" {
		x.Fatalf("not done: %v", a)
	}
	version := f.check(x, a)
	if want := x.seen + 1; version != want {
		x.Errorf("version %d, want %d", version, want)
	}
	shown := x.caller.get(f.address(x, a))
	if shown.status != http.StatusOK || shown.body != a.body || shown.header.Get("ETag") != a.header.Get("ETag") {
		x.Errorf("done %v\nis shown as %v", a, shown)
	}
}

// address returns the address of an answer's record.
func (f jsonFormat) address(x *caseRun, a answer) string {
	x.Helper()
	return "/api/v1" + x.resource.recordAt(f.record(x, a))
}

// check compares the headers of a success with its body, and returns the version.
func (f jsonFormat) check(x *caseRun, a answer) (version int) {
	x.Helper()
	record := decode[created](x.bundle, a)
	location := f.address(x, a)
	if x.kind.Changes() {
		location = "" // the caller knows it
	}
	if record.ID == "" || a.location() != location {
		x.Errorf("Location %q, want %q", a.location(), location)
	}
	if a.header.Get("ETag") != etag(record.Version) {
		x.Errorf("ETag %q of version %d", a.header.Get("ETag"), record.Version)
	}
	if got := a.header.Get("Content-Type"); got != "application/json" {
		x.Errorf("content type %q", got)
	}
	return record.Version
}

func (f jsonFormat) replayed(x *caseRun, again, first answer) {
	x.Helper()
	f.check(x, again)
	if again.header.Get("Idempotent-Replayed") != "true" {
		x.Errorf("not marked as a replay: %v", again)
	}
	if again.status != first.status || again.body != first.body || again.location() != first.location() ||
		again.header.Get("ETag") != first.header.Get("ETag") {
		x.Errorf("first %v\nagain %v", first, again)
	}
}

func (jsonFormat) refused(x *caseRun, a answer, slug string, _ url.Values, wrong ...string) {
	x.Helper()
	if a.status != statusOf(slug) || a.header.Get("Content-Type") != "application/problem+json" {
		x.Fatalf("want %s, got %v", slug, a)
	}
	p := decode[problem](x.bundle, a)
	if p.Type != "/problems/"+slug || p.Status != a.status || p.Title == "" || p.Detail == "" || p.RequestID == "" {
		x.Errorf("want %s, got %+v", slug, p)
	}
	switch slug {
	case "key-missing":
		if p.Docs == "" {
			x.Error("no link to the docs")
		}
	case "key-reused":
		if p.ExistingID == "" || p.ExistingURL != "/api/v1"+x.resource.recordAt(p.ExistingID) ||
			x.caller.get(p.ExistingURL).status != http.StatusOK {
			x.Errorf("no way to the first record: %+v", p)
		}
	case "changed-meanwhile":
		if got, want := a.header.Get("ETag"), x.caller.get("/api/v1"+x.resource.recordAt(x.id)).header.Get("ETag"); got != want {
			x.Errorf("ETag %q, and the record has %q", got, want)
		}
	default:
	}
	var where []string
	for _, e := range p.Errors {
		where = append(where, e.Pointer)
	}
	if !slices.Equal(where, wrong) {
		x.Errorf("errors at %v, want %v", where, wrong)
	}
	checkRetryAfter(x, a, slug)
}

func (jsonFormat) record(x *caseRun, a answer) string { return decode[created](x.bundle, a).ID }
