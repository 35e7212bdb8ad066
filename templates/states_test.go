package templates_test

import (
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
	anonymous.Slots.Promise = hostile
	record := templates.Record{Name: "2026-0042", Href: "/invoices/1"}
	problem := templates.Problem{Href: "/problems/x", Title: "Number taken", Status: 409, Meaning: hostile, ToDo: hostile}

	return map[string]templ.Component{
		"login": templates.LoginPage(anonymous, templates.Login{
			Next: "/invoices",
			Demo: []templates.DemoLogin{{Tenant: "Acme", Email: "a@b.c", Password: "p"}},
		}),
		"login, form kept": templates.LoginPage(anonymous, templates.Login{Next: "/invoices/new?key=1", Kept: true}),
		"question": templates.QuestionPage(
			page, templates.Form{Title: "Sell vehicle", Submit: "Sell vehicle", Key: "k"}, record, hostile),
		"login without HTTPS": templates.LoginPage(anonymous, templates.Login{
			PlainHTTP: &templates.PlainHTTP{Here: hostile}, WayIn: templates.WayIn("onlyonce"),
		}),
		"login by the wrong address": templates.LoginPage(anonymous, templates.Login{
			PlainHTTP: &templates.PlainHTTP{Outside: "https://books.example"},
			Demo:      []templates.DemoLogin{{Tenant: "Acme", Email: "a@b.c", Password: "p"}},
		}),
		"login without users": templates.LoginPage(anonymous, templates.Login{WayIn: templates.WayIn("onlyonce")}),
		"login refused":       templates.LoginPage(anonymous, templates.Login{Email: hostile, Error: "Email or password is wrong."}),
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
		"forgot":                templates.ForgotPage(anonymous, templates.Forgot{}),
		"forgot, asked":         templates.ForgotPage(anonymous, templates.Forgot{Asked: true}),
		"forgot, without mail":  templates.ForgotPage(anonymous, templates.Forgot{NoMail: true}),
		"forgot, wrong": templates.ForgotPage(anonymous, templates.Forgot{
			Email: hostile, Errors: templates.FieldErrors{{Control: "email", Message: hostile}},
		}),
		"choose a password": templates.JoinPage(anonymous, templates.Join{
			Link: "l", Email: hostile, Tenant: hostile, MinPassword: 12,
			Errors: templates.FieldErrors{{Control: "password", Message: "Choose a longer one."}},
		}),
		"choose a password without HTTPS": templates.JoinPage(anonymous, templates.Join{
			Link: "l", Email: hostile, Tenant: hostile, MinPassword: 12, PlainHTTP: &templates.PlainHTTP{Here: hostile},
		}),
		"a link that is over": templates.JoinPage(anonymous, templates.Join{}),
		"account": templates.AccountPage(page, templates.Account{
			Facts: archived.Facts, Owner: templates.Owner{ID: "1", Name: "Acme"}, MinPassword: 12,
			Errors:   templates.FieldErrors{{Control: "password", Message: "This isn't your current password."}},
			Sessions: []templates.Session{{ID: "1", Device: hostile}, {ID: "2", Device: hostile}}, ListedSessions: 2, Session: "1",
		}),
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
