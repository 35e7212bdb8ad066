package templates_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/templates"
	"onlyonce/templates/viewtest"
)

// TestTryAgainSendsEverythingButThePassword checks that the password is not on the page: its field is empty, and after the other
// fields.
func TestTryAgainSendsEverythingButThePassword(t *testing.T) {
	t.Parallel()
	sent := []templates.Field{{Name: "idempotency_key", Value: "k"}, {Name: "password", Value: "secret"}}
	sent = append(sent, templates.Field{Name: "several", Value: "one"}, templates.Field{Name: "several"},
		templates.Field{Name: "notes", Value: hostile})
	doc := viewtest.Parse(t, templates.TryAgainPage(viewtest.Blank(), templates.TryAgain{
		Title: "Still saving", Action: "/things", Fields: sent, Facts: []templates.Fact{{Label: "Notes", Value: hostile}},
	}))
	want := append(slices.Delete(slices.Clone(sent), 1, 2), templates.Field{Name: "password"})
	got := viewtest.Successful(viewtest.FormTo(t, doc, "/things"))
	assert.Thatf(t, slices.Equal(got, want), "sends\n%q\nwant\n%q", got, want)
	summary := viewtest.Text(viewtest.Find(doc, func(n *html.Node) bool { return n.Data == "dl" }))
	wantSummary := "Notes" + hostile
	assert.Thatf(t, summary == wantSummary, "reads back %q, want %q", summary, wantSummary)
}

// TestTitleOfAFailureSaysError checks a page without a focused error, which viewtest.Check does not cover.
func TestTitleOfAFailureSaysError(t *testing.T) {
	t.Parallel()
	title := viewtest.Find(viewtest.Parse(t, states()["not found"]), func(n *html.Node) bool { return n.Data == "title" })
	got := viewtest.Text(title)
	assert.Thatf(t, strings.HasPrefix(got, "Error: "), "%v", got)
}

// TestPlainFormKeepsPointsInTime: a refused form has a point in time as it was typed, and that of a record has it without its zone.
func TestPlainFormKeepsPointsInTime(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string][2]string{
		"2026-12-01T10:00":          {"2026-12-01T10:00", "datetime-local"},
		"2026-12-01T10:00:15":       {"2026-12-01T10:00:15", "datetime-local"},
		"2026-12-01T10:00:00Z":      {"2026-12-01T10:00", "datetime-local"},
		"2026-12-01T11:00:15+01:00": {"2026-12-01T10:00:15", "datetime-local"},
		"2026-12-01T10:00Z":         {"2026-12-01T10:00Z", "text"},
	} {
		var page strings.Builder
		form := templates.PlainForm(viewtest.Page(), templates.Form{Typed: url.Values{"starts": {typed}}},
			[]templates.Control{{Name: "starts", Label: "Starts", Kind: templates.Moment}})
		must.OK(t, form.Render(t.Context(), &page))
		_, control, _ := strings.Cut(page.String(), `name="starts"`)
		control, _, _ = strings.Cut(control, ">")
		assert.Thatf(t, strings.Contains(control, `value="`+want[0]+`"`) && strings.Contains(control, `type="`+want[1]+`"`),
			"%q: %s, want %v", typed, control, want)
	}
}
