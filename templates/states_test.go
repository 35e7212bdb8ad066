package templates_test

import (
	"net/url"
	"testing"

	"github.com/a-h/templ"

	"onlyonce/templates"
	"onlyonce/templates/viewtest"
)

const hostile = viewtest.Hostile

func TestRulesOfPages(t *testing.T) {
	t.Parallel()
	viewtest.Check(t, states())
}

// states returns each page in its relevant states.
func states() map[string]templ.Component {
	page, withHistory, archived := viewtest.Page(), viewtest.WithHistory(), viewtest.Archived()
	anonymous := viewtest.Blank()
	record := templates.Record{Name: "2026-0042", Href: "/invoices/1"}
	problem := templates.Problem{Href: "/problems/x", Title: "Number taken", Status: 409, Meaning: hostile, ToDo: hostile}

	return map[string]templ.Component{
		"plain form": templates.PlainForm(page, templates.Form{
			Title: "Edit thing", Key: "k", Version: 2, Typed: url.Values{"name": {hostile}, "day": {hostile}, "rings": {hostile}},
			Errors: templates.FieldErrors{{Control: "name", Message: hostile}},
			Offers: map[string]templates.Choices{
				"owner": {URL: "/x", FormURL: "/y", Search: hostile, Options: []templates.Option{{Value: hostile, Text: hostile}}},
			},
		}, []templates.Control{
			{Name: "name", Label: hostile, Hint: hostile}, {Name: "notes", Label: "Notes", Kind: templates.Lines, Optional: true},
			{Name: "count", Label: "Count", Kind: templates.Whole}, {Name: "weight", Label: "Weight", Kind: templates.Decimal},
			{Name: "day", Label: "Day", Kind: templates.Day}, {Name: "sold", Label: "Sold", Kind: templates.YesOrNo},
			{Name: "colour", Label: "Colour", Kind: templates.OneOf, Options: []templates.Option{{Value: hostile, Text: hostile}}},
			{Name: "owner", Label: "Owner", Kind: templates.Offered}, {Name: "email", Label: "Email", Kind: templates.Email},
			{Name: "site", Label: "Site", Kind: templates.Website}, {Name: "phone", Label: "Phone", Kind: templates.Phone},
			{Name: "share", Label: "Share", Kind: templates.Percent}, {Name: "opens", Label: "Opens", Kind: templates.Clock},
			{Name: "rings", Label: "Rings", Kind: templates.Moment},
			{Name: "photo", Label: "Photo", Kind: templates.File, Optional: true},
		}),
		"form used": templates.FormUsedPage(page, templates.FormUsed{
			Text: "This form already created", Existing: record, Again: templates.Link{Text: "New invoice", Href: "/invoices/new"},
		}),
		"try again": templates.TryAgainPage(page, templates.TryAgain{
			Title: "Still saving", Action: "/invoices",
			Fields: []templates.Field{{Name: "notes", Value: hostile}},
			Facts:  []templates.Fact{{Label: "Notes", Value: hostile}},
			Links:  []templates.Link{{Text: "Log in", Href: "/login", NewTab: true}},
		}),
		"try again, get": templates.TryAgainPage(page, templates.TryAgain{Title: "Please wait", Status: 429, Href: "/invoices"}),
		"not found": templates.FailurePage(page, templates.Failure{
			Status: 404, Title: "Not found", Message: hostile, RequestID: "r",
			Links: []templates.Link{{Text: "Invoices", Href: "/invoices"}},
		}),
		"list": templates.ListPage(page, templates.List{
			One: "thing", Many: "things", Href: "/things", Columns: []templates.Column{{Label: "Name", Class: "name"}, {Label: "Since"}},
			Rows: []templates.Row{{Href: "/things/1", Cells: []string{hostile, hostile}}},
		}),
		"nothing found": templates.ListPage(page, templates.List{One: "thing", Many: "things", Href: "/things", Finder: viewtest.Finder()}),
		"empty list":    templates.ListPage(page, templates.List{One: "thing", Many: "things", Href: "/things", Empty: hostile}),
		"empty archive": templates.ListPage(page, templates.List{
			One: "thing", Many: "things", Href: "/things", Archive: hostile, Archived: true,
		}),
		"record":                templates.RecordPage(withHistory, archived),
		"record with a section": templates.RecordPageWith(page, archived, []templ.Component{templates.Slot(nil)}),
		"history": templates.HistoryPage(page, templates.HistoryView{
			Of: templates.Record{Name: hostile, Href: "/invoices/1"}, Entries: withHistory.History,
			Pager: templates.Pager{FirstHref: "/", PreviousHref: "/", NextHref: "/"},
		}),
		"problem":  templates.ProblemPage(anonymous, problem, problem.Href),
		"problems": templates.ProblemIndexPage(anonymous, []templates.Problem{problem}),
		"rules": templates.RulesPage(anonymous, []templates.RuleSection{{
			Title: "Invoices", Anchor: "invoices", Rules: []templates.Rule{{Sentence: hostile, Answer: hostile}},
			Operations: []templates.OperationRule{{Title: hostile, Promise: hostile, Kept: "24 hours"}},
		}}),
		"console": templates.ConsolePage(anonymous),
		"api": templates.APIDocsPage(anonymous, templates.APIDocs{
			Intro: []string{hostile}, Problems: []templates.Problem{problem}, Example: hostile,
			Retries:  []string{hostile},
			Programs: templates.Programs{About: hostile, All: []templates.Program{{Name: "create.sh", Text: hostile}}},
			Sections: []templates.APISection{{Title: "Invoices", Anchor: "invoices", Endpoints: []templates.Endpoint{{
				Anchor: "invoice.create", Method: "POST", Path: "/api/v1/invoices", Summary: hostile, Repeats: hostile, Kept: "24 hours",
				Parameters: []templates.APIField{{Name: "q", Type: "text"}}, Example: hostile,
				Body:     []templates.APIField{{Name: "number", Type: "text", Meaning: hostile, Required: true}},
				Problems: []templates.Problem{problem},
			}}}},
		}),
	}
}
