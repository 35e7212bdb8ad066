package web_test

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// jsonFace is the column of the JSON API.
type jsonFace struct{}

// created is what all records have in common.
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
	RequestID   string `json:"request_id"`
	Errors      []struct {
		Pointer string `json:"pointer"`
		Detail  string `json:"detail"`
	} `json:"errors"`
}

func (jsonFace) name() string { return "JSON" }

func (jsonFace) caller(b *bundle, at *site, t tenant) *client { return b.program(at, t) }

func (jsonFace) send(ctx context.Context, c *client, t thing, key string, command url.Values) (answer, error) {
	if key != "" {
		c = c.with("Idempotency-Key", key)
	}
	return c.send(ctx, http.MethodPost, "/api/v1"+t.path, t.json(command))
}

func (f jsonFace) created(x *try, a answer) {
	x.Helper()
	if a.status != http.StatusCreated || a.header.Get("Idempotent-Replayed") != "" {
		x.Fatalf("not created: %v", a)
	}
	f.check(x, a)
	shown := x.caller.get(a.location())
	if shown.status != http.StatusOK || shown.body != a.body || shown.header.Get("ETag") != a.header.Get("ETag") {
		x.Errorf("created %v\nis shown as %v", a, shown)
	}
}

// check holds the headers of a success against its body.
func (f jsonFace) check(x *try, a answer) {
	x.Helper()
	record := decode[created](x.bundle, a)
	if want := "/api/v1" + x.path + "/" + record.ID; record.ID == "" || a.location() != want {
		x.Errorf("Location %q, want %q", a.location(), want)
	}
	if a.header.Get("ETag") != `"v1"` || record.Version != 1 {
		x.Errorf("ETag %q of version %d", a.header.Get("ETag"), record.Version)
	}
	if got := a.header.Get("Content-Type"); got != "application/json" {
		x.Errorf("content type %q", got)
	}
}

func (f jsonFace) replayed(x *try, again, first answer) {
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

func (jsonFace) refused(x *try, a answer, slug string, _ url.Values) {
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
		if p.ExistingID == "" || !strings.HasSuffix(p.ExistingURL, p.ExistingID) || x.caller.get(p.ExistingURL).status != http.StatusOK {
			x.Errorf("no way to the first record: %+v", p)
		}
	case "invalid":
		var where []string
		for _, e := range p.Errors {
			where = append(where, e.Pointer)
		}
		if !slices.Equal(where, x.errors) {
			x.Errorf("errors at %v, want %v", where, x.errors)
		}
	}
	checkRetryAfter(x, a, slug)
}

func (jsonFace) record(x *try, a answer) string { return decode[created](x.bundle, a).ID }
