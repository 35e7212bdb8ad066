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

// states returns each page in its relevant states.
func states() map[string]templ.Component {
	page := viewtest.Page()
	record := templates.Record{Name: "2026-0042", Href: "/invoices/1"}
	candidate := customerviews.Candidate{
		Name: hostile, Href: "/customers/1", Email: "ada@example.com", Since: "1 Jan 2026",
		Facts: []templates.Fact{{Label: "Email", Value: hostile}},
	}
	both := []customerviews.Candidate{candidate, candidate}
	merge := templates.Form{Title: "Merge customers", Key: "k"}
	stale := []templates.VersionRow{{Label: "Name", Saved: hostile, Typed: hostile, Changed: templates.BothChanged, Keep: "name"}}
	wrong := templates.Form{Title: "Merge customers", Key: "k", Typed: url.Values{"customers": {hostile}}, Errors: templates.FieldErrors{
		{Control: "customers", Message: hostile}, {Control: "winner_id", Message: "Choose the customer that stays."},
	}}
	return map[string]templ.Component{
		"duplicates": customerviews.DuplicatesPage(page, customerviews.Duplicates{Groups: []customerviews.Group{
			{Why: "Same name", More: "There are more.", Customers: both, MergeHref: "/merges/new", ApartHref: "/distinctions/new"},
		}}),
		"no duplicates": customerviews.DuplicatesPage(page, customerviews.Duplicates{}),
		"no duplicates, and more": customerviews.DuplicatesPage(page, customerviews.Duplicates{
			Pager: templates.Pager{NextHref: "/duplicates?cursor=1"},
		}),
		"merge form": customerviews.MergeForm(page, customerviews.ChosenView{
			Form: merge, Customers: both, Seen: "1@1 2@1", Winners: []templates.Option{{Value: "1", Text: hostile}},
		}),
		"merge form refused": customerviews.MergeForm(page, customerviews.ChosenView{Form: wrong}),
		"distinction form":   customerviews.ApartForm(page, customerviews.ChosenView{Form: merge, Customers: both}),
		"distinction form refused": customerviews.ApartForm(page, customerviews.ChosenView{Form: templates.Form{
			Title: "Not duplicates", Key: "k", Errors: wrong.Errors[:1],
		}}),
		"erase form": customerviews.EraseForm(page, templates.Form{Title: "Erase personal data", Key: "k"}, hostile, hostile),
		"erase form refused": customerviews.EraseForm(page, templates.Form{
			Title: "Erase personal data", Key: "k", Typed: url.Values{"reason": {hostile}},
			Errors: templates.FieldErrors{{Control: "reason", Message: hostile}},
		}, hostile, ""),
		"customer form": customerviews.CustomerForm(page, templates.Form{Title: "New customer", Key: "k"}, nil, "", "same_email"),
		"customer form, stale": customerviews.CustomerForm(page, templates.Form{
			Title: "Edit customer", Key: "k", Version: 2, Notice: templates.Stale(record, stale),
			Versions: stale, Saved: []templates.Field{{Name: "saved.name", Value: hostile}},
			Meanwhile: viewtest.WithHistory().History,
		}, nil, hostile, "same_email"),
		"customer form refused": customerviews.CustomerForm(page, templates.Form{
			Title: "New customer", Key: "k", Typed: url.Values{"email": {hostile}},
			Errors: templates.FieldErrors{{Control: "email", Message: hostile}, {Control: "name", Message: "Enter a name"}},
		}, nil, "", "same_email"),
	}
}
