package site_test

import (
	"context"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"onlyonce/internal/idempotency"
)

// htmlFormat is the column of pages and forms.
type htmlFormat struct{}

func (htmlFormat) name() string { return "HTML" }

func (htmlFormat) caller(b *bundle, at *replica, t tenant) *client { return b.person(at, t) }

func (htmlFormat) send(ctx context.Context, c *client, to caseRun, key string, command url.Values) (answer, error) {
	form := change(command)
	if key != "" {
		form.Set("idempotency_key", key)
	}
	if !form.Has("tenant") && to.owner.name != "" {
		form.Set("tenant", to.owner.id.String())
		form.Set("tenant_name", to.owner.name)
	}
	if to.kind == idempotency.Change && to.seen != 0 {
		form.Set("version", strconv.Itoa(to.seen))
	}
	return c.with("Content-Type", "application/x-www-form-urlencoded").send(ctx, http.MethodPost, to.at(to.form), form.Encode())
}

func (f htmlFormat) done(x *caseRun, a answer) {
	x.Helper()
	f.shown(x, a).says(x.says())
}

func (f htmlFormat) replayed(x *caseRun, again, first answer) {
	x.Helper()
	if again.location() != first.location() {
		x.Errorf("led to %q first and to %q again", first.location(), again.location())
	}
	f.shown(x, again).says("We ignored the duplicate submission and kept your first request.")
}

// shown follows the redirect of a success to the record's page.
func (htmlFormat) shown(x *caseRun, a answer) page {
	x.Helper()
	if a.status != http.StatusSeeOther || a.location() != x.resource.pageOf(path.Base(a.location())) {
		x.Fatalf("not led to a record: %v", a)
	}
	shown := x.caller.get(a.location())
	if shown.status != http.StatusOK {
		x.Fatalf("the record is not there: %v", shown)
	}
	return x.page(shown)
}

func (htmlFormat) refused(x *caseRun, a answer, slug string, typed url.Values, wrong ...string) {
	x.Helper()
	if status := htmlStatus(slug); a.status != status {
		x.Fatalf("want %s, got %v", slug, a)
	}
	words := pageTitles
	if !x.isButton() {
		words = formNotices
	}
	did := map[bool]string{true: "saved changes to", false: x.resource.words.past}[x.kind.Changes()]
	p := x.page(a).says(strings.NewReplacer("DID", did, "LABEL", x.label).Replace(words[slug]))
	if len(typed) > 0 {
		keeps(x.bundle, p, typed)
	}
	if len(wrong) > 0 {
		p.marks(x.resource, wrong)
	}
	checkRetryAfter(x, a, slug)
}

// htmlStatus returns the status of a page: 409 with both versions, where the API has another status.
func htmlStatus(slug string) int {
	if slug == "changed-meanwhile" || slug == "version-missing" {
		return http.StatusConflict
	}
	return statusOf(slug)
}

// pageTitles are the titles of pages about a problem that show no form. formNotices are the notices of forms.
var (
	pageTitles = map[string]string{
		"key-missing":   "Idempotency key missing",
		"key-malformed": "Idempotency key malformed",
		"key-reused":    "Idempotency key already used for something else",
		"in-progress":   "Still in progress",
		"invalid":       "Invalid fields",
		"unauthorized":  "You are no longer logged in",
		"forbidden":     "Not allowed",
		"not-found":     "Not found",
		"too-many":      "Too many requests",
		"busy":          "Busy",
		"unconfirmed":   "We couldn't confirm",
		"unavailable":   "Temporarily unavailable",
		"internal":      "Internal error",
	}
	formNotices = map[string]string{
		"key-missing":       "This form's key is missing or wrong, so nothing was saved.",
		"key-malformed":     "This form's key is missing or wrong, so nothing was saved.",
		"key-reused":        "This form already DID LABEL.",
		"changed-meanwhile": "was changed while you were editing.",
		"version-missing":   "was changed while you were editing.",
		"in-progress":       "Still saving. Your first submission hasn't finished. Trying again is safe.",
		"looks-like-repeat": "Looks like LABEL, created ",
		"invalid":           "There is a problem",
		"unauthorized":      "You are no longer logged in",
		"forbidden":         "Not allowed",
		"not-found":         "Not found",
		"too-many":          "Too many requests",
		"busy":              "Busy",
		"unconfirmed":       "We couldn't confirm",
		"unavailable":       "Temporarily unavailable",
		"internal":          "Internal error",
	}
)

// keeps fails unless the form has all typed values.
func keeps(b *bundle, p page, typed url.Values) {
	b.Helper()
	shown := p.typed()
	for name, values := range typed {
		if !slices.Equal(shown[name], values) {
			b.Errorf("typed %s %q, and the form has %q", name, values, shown[name])
		}
	}
}

// marks checks that exactly the fields at the pointers are marked as wrong, at least the first with each name.
func (p page) marks(of resource, pointers []string) {
	p.b.Helper()
	for _, f := range of.fields {
		controls := p.controls(f.name)
		if len(controls) == 0 {
			p.b.Fatalf("the form has no field %q", f.name)
		}
		invalid, _ := attr(controls[0], "aria-invalid")
		if want := slices.Contains(pointers, f.pointer); (invalid == "true") != want {
			p.b.Errorf("%s is marked as wrong: %v, want %v", f.name, invalid == "true", want)
		}
	}
}

// controls returns the fields of the form with a name.
func (p page) controls(name string) []*html.Node {
	p.b.Helper()
	return slices.DeleteFunc(all(p.form(), "input", "textarea", "select"), func(n *html.Node) bool {
		found, _ := attr(n, "name")
		return found != name
	})
}

func (htmlFormat) record(_ *caseRun, a answer) string { return path.Base(a.location()) }
