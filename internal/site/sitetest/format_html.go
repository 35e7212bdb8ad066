package sitetest

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"onlyonce/internal/assert"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/must"
	"onlyonce/internal/people/account"

	"golang.org/x/net/html"
)

// HTML is the column of pages and forms.
type HTML struct{}

// Name is the name in the names of subtests.
func (HTML) Name() string { return "HTML" }

// Caller returns a logged-in browser, or for strangers one that isn't.
func (HTML) Caller(b *Bundle, at *Replica, t Tenant) *Client {
	if t.ID == account.Strangers {
		return b.Browser(at)
	}
	return b.Person(at, t)
}

// Send posts a form.
func (HTML) Send(ctx context.Context, c *Client, to Case, key string, command url.Values) (Answer, error) {
	form := Change(command)
	if key != "" {
		form.Set("idempotency_key", key)
	}
	if !form.Has("tenant") && to.Owner.Name != "" {
		form.Set("tenant", to.Owner.ID.String())
		form.Set("tenant_name", to.Owner.Name)
	}
	if to.Kind == idempotency.Change && to.Seen != 0 {
		form.Set("version", strconv.Itoa(to.Seen))
	}
	return c.sendForm(ctx, to.at(to.Form), form)
}

// Done checks the page after a success.
func (f HTML) Done(x *Case, a Answer) {
	x.Helper()
	f.shown(x, a).Says(x.says())
}

// Replayed checks that the page reports a duplicate.
func (f HTML) Replayed(x *Case, again, first Answer) {
	x.Helper()
	assert.Thatf(x, again.Location() == first.Location(), "led to %q first and to %q again", first.Location(), again.Location())
	if x.Resource.Strangers {
		f.shown(x, again).Says(x.says())
		return
	}
	f.shown(x, again).Says("We ignored the duplicate submission and kept your first request.")
}

// shown follows the redirect of a success to the record's page.
func (HTML) shown(x *Case, a Answer) Page {
	x.Helper()
	want := cmp.Or(x.State.LeadsTo, x.Resource.PageOf(path.Base(a.Location())))
	must.Thatf(x, a.Status == http.StatusSeeOther && a.Location() == want, "not led to a record: %v", a)
	shown := x.Caller.Get(a.Location())
	must.Thatf(x, shown.Status == http.StatusOK, "the record is not there: %v", shown)
	return x.Page(shown)
}

// Refused checks the page of a refusal.
func (HTML) Refused(x *Case, a Answer, slug string, typed url.Values, wrong ...string) {
	x.Helper()
	status := statusOf(slug)
	if slug == "changed-meanwhile" || slug == "version-missing" {
		status = http.StatusConflict // with both versions, where the API has another status
	}
	must.Thatf(x, a.Status == status, "want %s, got %v", slug, a)
	words := pageTitles[slug]
	if !x.IsButton() {
		words = cmp.Or(formNotices[slug], words)
	}
	did := map[bool]string{true: "saved changes to", false: x.Resource.Words.Past}[x.Kind.Changes()]
	p := x.Page(a).Says(strings.NewReplacer("DID", did, "LABEL", x.Label).Replace(words))
	if len(typed) > 0 {
		Keeps(x.Bundle, p, typed)
	}
	if len(wrong) > 0 {
		p.Marks(x.Resource, wrong)
	}
	checkRetryAfter(x, a, slug)
}

// pageTitles are the titles of pages about a problem that show no form. formNotices are the notices of forms, if they differ.
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
		"looks-like-repeat": "Looks like LABEL, DID ",
		"invalid":           "There is a problem",
	}
)

// Keeps fails unless the form has all typed values.
func Keeps(b *Bundle, p Page, typed url.Values) {
	b.Helper()
	shown := p.Typed()
	for name, values := range typed {
		if file, _, ok := FileOf(typed.Get(name)); ok {
			p.Says(file) // to be chosen again
			continue
		}
		unchecked := len(shown[name]) == 0 && slices.Equal(values, []string{""})
		assert.Thatf(b, slices.Equal(shown[name], values) || unchecked, "typed %s %q, and the form has %q", name, values, shown[name])
	}
}

// Marks checks that exactly the fields at the pointers are marked as wrong, at least the first with each name.
func (p Page) Marks(of Resource, pointers []string) {
	p.B.Helper()
	for _, f := range of.Fields {
		controls := p.Controls(f.Name)
		must.Thatf(p.B, len(controls) != 0, "the form has no field %q", f.Name)
		invalid, _ := Attr(controls[0], "aria-invalid")
		want := slices.Contains(pointers, f.Pointer)
		assert.Thatf(p.B, (invalid == "true") == want, "%s is marked as wrong: %v, want %v", f.Name, invalid == "true", want)
	}
}

// Controls returns the fields of the form with a name.
func (p Page) Controls(name string) []*html.Node {
	p.B.Helper()
	return slices.DeleteFunc(Elements(p.Form(), "input", "textarea", "select"), func(n *html.Node) bool {
		found, _ := Attr(n, "name")
		return found != name
	})
}

func (HTML) record(x *Case, a Answer) string {
	if x.State.LeadsTo != "" {
		return x.ID
	}
	return path.Base(a.Location())
}
