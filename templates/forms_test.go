package templates_test

import (
	"slices"
	"testing"
	"time"

	"golang.org/x/net/html"

	"onlyonce/templates"
)

// The password is not on the page: its field is empty, and behind what was typed.
func TestTryAgainSendsEverythingButThePassword(t *testing.T) {
	t.Parallel()
	sent := []templates.Field{{Name: "idempotency_key", Value: "k"}, {Name: "password", Value: "secret"}}
	sent = append(sent, templates.Field{Name: "several", Value: "one"}, templates.Field{Name: "several"},
		templates.Field{Name: "notes", Value: hostile})
	doc := parse(t, templates.TryAgainPage(blank, templates.TryAgain{
		Title: "Still saving", Action: "/things", Fields: sent, Facts: []templates.Fact{{Label: "Notes", Value: hostile}},
	}))
	want := append(slices.Delete(slices.Clone(sent), 1, 2), templates.Field{Name: "password"})
	if got := successful(formTo(t, doc, "/things")); !slices.Equal(got, want) {
		t.Errorf("sends\n%q\nwant\n%q", got, want)
	}
	summary := text(find(doc, func(n *html.Node) bool { return n.Data == "dl" }))
	if wantSummary := "Notes" + hostile; summary != wantSummary {
		t.Errorf("reads back %q, want %q", summary, wantSummary)
	}
}

func formTo(t *testing.T, doc *html.Node, action string) *html.Node {
	t.Helper()
	form := find(doc, func(n *html.Node) bool { return n.Data == "form" && attr(n, "action") == action })
	if form == nil {
		t.Fatalf("no form to %s", action)
	}
	return form
}

// successful lists what a browser would send without a submitter.
func successful(n *html.Node) []templates.Field {
	var fields []templates.Field
	for c := range n.ChildNodes() {
		switch c.Data {
		case "template", "button":
		case "input":
			fields = append(fields, templates.Field{Name: attr(c, "name"), Value: inputValue(c)})
		case "textarea":
			var content string
			if c.FirstChild != nil {
				content = c.FirstChild.Data
			}
			fields = append(fields, templates.Field{Name: attr(c, "name"), Value: content})
		case "select":
			fields = append(fields, templates.Field{Name: attr(c, "name"), Value: selected(c)})
		default:
			fields = append(fields, successful(c)...)
		}
	}
	return fields
}

// inputValue drops what a date control cannot hold, as browsers do.
func inputValue(n *html.Node) string {
	value := attr(n, "value")
	if _, err := time.Parse(time.DateOnly, value); err != nil && attr(n, "type") == "date" {
		return ""
	}
	return value
}

// selected is the value of a select: its first option unless one is marked.
func selected(sel *html.Node) string {
	option := find(sel, func(n *html.Node) bool { return n.Data == "option" && has(n, "selected") })
	if option == nil {
		option = find(sel, func(n *html.Node) bool { return n.Data == "option" })
	}
	switch {
	case option == nil:
		return ""
	case has(option, "value"):
		return attr(option, "value")
	default:
		return text(option)
	}
}
