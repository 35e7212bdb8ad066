package web_test

import (
	"context"
	"net/http"
	"net/url"
	"path"
	"slices"
)

// htmlFace is the column of pages and forms.
type htmlFace struct{}

func (htmlFace) name() string { return "HTML" }

func (htmlFace) caller(b *bundle, at *site, t tenant) *client { return b.person(at, t) }

func (htmlFace) send(ctx context.Context, c *client, t thing, key string, command url.Values) (answer, error) {
	form := change(command)
	if key != "" {
		form.Set("idempotency_key", key)
	}
	return c.with("Content-Type", "application/x-www-form-urlencoded").send(ctx, http.MethodPost, t.path, form.Encode())
}

func (f htmlFace) created(x *try, a answer) {
	x.Helper()
	f.shown(x, a).says(x.made)
}

func (f htmlFace) replayed(x *try, again, first answer) {
	x.Helper()
	if again.location() != first.location() {
		x.Errorf("led to %q first and to %q again", first.location(), again.location())
	}
	f.shown(x, again).says("We ignored the duplicate submission and kept your first request.")
}

// shown follows a success to the record.
func (htmlFace) shown(x *try, a answer) page {
	x.Helper()
	if a.status != http.StatusSeeOther || path.Dir(a.location()) != x.path {
		x.Fatalf("not led to a record: %v", a)
	}
	shown := x.caller.get(a.location())
	if shown.status != http.StatusOK {
		x.Fatalf("the record is not there: %v", shown)
	}
	return x.page(shown)
}

func (htmlFace) refused(x *try, a answer, slug string, typed url.Values) {
	x.Helper()
	if a.status != statusOf(slug) {
		x.Fatalf("want %s, got %v", slug, a)
	}
	p := x.page(a).says(map[string]string{
		"key-missing":   "This form came without a valid key, so nothing was saved.",
		"key-malformed": "This form came without a valid key, so nothing was saved.",
		"key-reused":    "This form already created " + x.label + ". Your changes were not saved.",
		"in-progress":   "Still saving. Your first submission has not finished. Trying again is safe.",
		"invalid":       "There is a problem",
		"unauthorized":  "You are not logged in any more",
		"forbidden":     "Not allowed",
		"not-found":     "Not found",
		"too-many":      "Too many requests",
		"busy":          "Busy",
		"unconfirmed":   "We could not confirm",
		"unavailable":   "Temporarily unavailable",
		"internal":      "Internal error",
	}[slug])
	if typed != nil {
		keeps(x.bundle, p, typed)
	}
	checkRetryAfter(x, a, slug)
}

// keeps fails unless everything that was typed stands in the form.
func keeps(b *bundle, p page, typed url.Values) {
	b.Helper()
	shown := p.typed()
	for name, values := range typed {
		if !slices.Equal(shown[name], values) {
			b.Errorf("typed %s %q, and the form has %q", name, values, shown[name])
		}
	}
}

func (htmlFace) record(_ *try, a answer) string { return path.Base(a.location()) }
