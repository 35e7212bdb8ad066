package customerviews_test

import (
	"net/url"
	"testing"

	"github.com/a-h/templ"

	"onlyonce/templates"
	"onlyonce/templates/customerviews"
	"onlyonce/templates/viewtest"
)

const hostile = viewtest.Hostile

func TestRulesOfPages(t *testing.T) {
	t.Parallel()
	viewtest.Check(t, states())
}

func TestTitleSaysError(t *testing.T) {
	t.Parallel()
	for name, page := range states() {
		if got, want := viewtest.SaysError(t, page), name != "customer form"; got != want {
			t.Errorf("%s: the title says so: %v", name, got)
		}
	}
}

// states are the pages in the states worth looking at.
func states() map[string]templ.Component {
	page := viewtest.Page()
	record := templates.Record{Name: "2026-0042", Href: "/invoices/1"}
	return map[string]templ.Component{
		"customer form": customerviews.CustomerForm(page, templates.Form{Title: "New customer", Key: "k"}, nil),
		"customer form, stale": customerviews.CustomerForm(page, templates.Form{
			Title: "Edit customer", Key: "k", Version: 2, Notice: templates.Stale(record, true),
			Versions:  []templates.VersionRow{{Label: "Name", Saved: hostile, Typed: hostile, Differ: true}},
			Meanwhile: viewtest.WithHistory().History,
		}, nil),
		"customer form refused": customerviews.CustomerForm(page, templates.Form{
			Title: "New customer", Key: "k", Typed: url.Values{"email": {hostile}},
			Errors: templates.FieldErrors{{Control: "email", Message: hostile}, {Control: "name", Message: "Enter a name"}},
		}, nil),
	}
}
