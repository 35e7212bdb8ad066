package templates_test

import (
	"maps"
	"net/url"
	"strings"

	"github.com/a-h/templ"

	"onlyonce/templates"
)

// hostile is long, unbreakable and full of markup.
var hostile = strings.Repeat("Donaudampfschiff", 12) + ` "><script>alert('x')</script> & <b style="x">`

// blank is a page that shares nothing.
var blank = templates.Page{Asset: func(name string) string { return "/" + name }}

// states are the pages in the states worth looking at.
func states() map[string]templ.Component {
	page := templates.Page{
		User: "acme@onlyonce.test", Tenant: "Acme Studio", Flash: "Invoice 2026-0042 created",
		Asset: func(name string) string { return "/" + name },
		Nav:   []templates.NavItem{{Text: "Invoices", Href: "/invoices", Current: true}, {Text: "API", Href: "/docs/api"}},
	}
	page.Tabs = []templates.NavItem{{Text: "Business", Href: "/settings"}, {Text: "People", Href: "/people", Current: true}}
	withHistory := page
	row := templates.AttemptRow{
		At: "22 Nov 2026, 09:30:12 UTC", What: hostile, Href: "/things/1", Outcome: "Refused", Kind: "refused", Detail: hostile,
		By: hostile, Took: "12 ms", Key: hostile, KeyHref: "/attempts?key=x", Replica: hostile,
	}
	withHistory.Attempts = templates.Attempts{Summary: "Created once.", Rows: []templates.AttemptRow{row}, AllHref: "/attempts?record=x"}
	withHistory.History = []templates.HistoryEntry{
		{Changes: []templates.HistoryChange{{Label: "Name", Was: hostile, Is: hostile}, {Label: "Notes", Is: hostile}}, By: hostile},
		{Text: "Created", Key: hostile, By: hostile},
	}
	anonymous := templates.Page{Asset: page.Asset}
	record := templates.Record{Name: "2026-0042", Href: "/invoices/1"}
	problem := templates.Problem{Href: "/problems/x", Title: "Number taken", Status: 409, Meaning: hostile, ToDo: hostile}

	archived := templates.RecordView{
		Name: hostile, Facts: []templates.Fact{{Label: "Email", Value: hostile, Href: "mailto:" + hostile}, {Label: "Notes"}},
		Archive: hostile, Archived: "21 Nov 2026", EditHref: "/things/1/edit",
		Action: templates.Action{Text: "Restore", Href: "/things/1/restore", Key: "k"},
	}

	withLines := []templates.Fact{{Label: "Address", Value: hostile + "\n" + hostile}}

	all := map[string]templ.Component{
		"login": templates.LoginPage(anonymous, templates.Login{
			Next: "/invoices",
			Demo: []templates.DemoLogin{{Tenant: "Acme", Email: "a@b.c", Password: "p"}},
		}),
		"login without users": templates.LoginPage(anonymous, templates.Login{WayIn: templates.WayIn()}),
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
		"attempts": templates.AttemptsPage(page, templates.AttemptList{
			Kept: "7 days", Rows: []templates.AttemptRow{row, {What: "New invoice", Outcome: "Failed", Kind: "failed"}},
			Key: hostile, Record: hostile,
			Outcomes: []templates.Option{{}, {Value: "failed", Text: "Failed"}}, Outcome: "failed",
			Operations: []templates.Option{{}, {Value: "x", Text: hostile}},
		}),
		"no attempts":       templates.AttemptsPage(page, templates.AttemptList{Kept: "7 days"}),
		"no attempts found": templates.AttemptsPage(page, templates.AttemptList{Kept: "7 days", Finder: finder()}),
		"attempts not kept": templates.AttemptsPage(page, templates.AttemptList{}),
		"nothing found":     templates.ListPage(page, templates.List{One: "thing", Many: "things", Href: "/things", Finder: finder()}),
		"empty list":        templates.ListPage(page, templates.List{One: "thing", Many: "things", Href: "/things", Empty: hostile}),
		"empty archive": templates.ListPage(page, templates.List{
			One: "thing", Many: "things", Href: "/things", Archive: hostile, Archived: true,
		}),
		"record": templates.RecordPage(withHistory, archived),
		"settings": templates.SettingsPage(withHistory, templates.Settings{
			RecordView: templates.RecordView{Name: "Settings", Facts: archived.Facts, EditHref: "/settings/edit"},
			Groups:     []templates.FactGroup{{Title: "Bank account", Facts: withLines}},
		}),
		"settings form": templates.SettingsFormPage(page, templates.SettingsForm{
			Form: templates.Form{
				Title: "Edit settings", Key: "k", Version: 2,
				Typed:  url.Values{"name": {hostile}, "address": {hostile + "\n"}, "country": {"XX"}},
				Errors: templates.FieldErrors{{Control: "country", Message: "Choose a country."}, {Control: "address", Message: hostile}},
			},
			Countries: []templates.Option{{}, {Value: "IE", Text: "Ireland"}}, Currencies: []templates.Option{{Value: "EUR", Text: "EUR"}},
		}),
		"person": templates.PersonPage(withHistory, templates.Person{
			RecordView: templates.RecordView{Name: hostile, Facts: archived.Facts, EditHref: "/people/1/edit", Action: archived.Action},
			Link:       "https://invoices.example/join?link=" + hostile, Until: "24 Nov 2026, 09:30 UTC", Uninvite: archived.Action,
		}),
		"person with another's link": templates.PersonPage(page, templates.Person{Until: "24 Nov 2026", Uninvite: archived.Action}),
		"person without a link":      templates.PersonPage(page, templates.Person{Invite: archived.Action}),
		"person, disabled":           templates.PersonPage(page, templates.Person{Disabled: "21 Nov 2026", Enable: archived.Action}),
		"person form": templates.PersonForm(page, templates.Form{
			Title: "Add a person", Key: "k", Typed: url.Values{"email": {hostile}, "role": {hostile}},
			Errors: templates.FieldErrors{{Control: "role", Message: hostile}},
		}),
		"token": templates.TokenPage(withHistory, templates.Token{
			RecordView: templates.RecordView{Name: hostile, Facts: archived.Facts, Action: archived.Action},
			Secret:     hostile, Until: "10:30 UTC",
		}),
		"token, later": templates.TokenPage(page, templates.Token{RecordView: templates.RecordView{Name: "sync", Action: archived.Action}}),
		"token form":   templates.TokenForm(page, templates.Form{Title: "New token", Key: "k"}),
		"choose a password": templates.JoinPage(anonymous, templates.Join{
			Link: "l", Email: hostile, Tenant: hostile, MinPassword: 12,
			Errors: templates.FieldErrors{{Control: "password", Message: "Choose a longer one."}},
		}),
		"a link that is over": templates.JoinPage(anonymous, templates.Join{}),
		"account": templates.AccountPage(page, templates.Account{
			Facts: archived.Facts, Owner: templates.Owner{ID: "1", Name: "Acme"}, MinPassword: 12,
			Errors: templates.FieldErrors{{Control: "password", Message: "This is not your current password."}},
		}),
		"customer form": templates.CustomerForm(page, templates.Form{Title: "New customer", Key: "k"}, nil),
		"customer form, stale": templates.CustomerForm(page, templates.Form{
			Title: "Edit customer", Key: "k", Version: 2, Notice: templates.Stale(record, true),
			Versions: []templates.VersionRow{{Label: "Name", Saved: hostile, Typed: hostile, Differ: true}}, Meanwhile: withHistory.History,
		}, nil),
		"customer form refused": templates.CustomerForm(page, templates.Form{
			Title: "New customer", Key: "k", Typed: url.Values{"email": {hostile}},
			Errors: templates.FieldErrors{{Control: "email", Message: hostile}, {Control: "name", Message: "Enter a name"}},
		}, nil),
		"history": templates.HistoryPage(page, templates.HistoryView{
			Of: templates.Record{Name: hostile, Href: "/invoices/1"}, Entries: withHistory.History,
			Pager: templates.Pager{FirstHref: "/", PreviousHref: "/", NextHref: "/"},
		}),
		"problem":  templates.ProblemPage(anonymous, problem),
		"problems": templates.ProblemIndexPage(anonymous, []templates.Problem{problem}),
		"api": templates.APIDocsPage(anonymous, templates.APIDocs{
			Intro: []string{hostile}, Problems: []templates.Problem{problem}, Example: hostile,
			Retries: []string{hostile}, Clients: []templates.Program{{Name: "create.sh", Text: hostile}},
			Sections: []templates.APISection{{Title: "Invoices", Anchor: "invoices", Endpoints: []templates.Endpoint{{
				Anchor: "invoice.create", Method: "POST", Path: "/api/v1/invoices", Summary: hostile, Repeats: hostile, Kept: "24 hours",
				Parameters: []templates.APIField{{Name: "q", Type: "text"}}, Example: hostile,
				Body:     []templates.APIField{{Name: "number", Type: "text", Meaning: hostile, Required: true}},
				Problems: []templates.Problem{problem},
			}}}},
		}),
	}
	// begin invoices
	maps.Copy(all, invoiceStates(page, withHistory, archived))
	// end invoices
	// begin lab
	maps.Copy(all, labStates(page))
	maps.Copy(all, yourselfStates(page))
	// end lab
	return all
}

// finder has everything that a list can be searched by.
func finder() templates.Finder {
	return templates.Finder{
		Pager: templates.Pager{FirstHref: "/things", PreviousHref: "?cursor=x", NextHref: "?cursor=y"},
		Href:  "/things", Many: "things", Search: hostile, Placeholder: "Number",
		Hidden: []templates.Field{{Name: "status", Value: "open"}},
		Chips:  []templates.NavItem{{Text: "All", Href: "/things"}, {Text: "Open", Href: "/things?status=open", Current: true}},
		Only:   []templates.Narrowing{{Text: hostile, All: hostile, Href: "/things"}},
		Dated:  true, From: "2026-01-01", To: "never", Sort: "due",
		Sorts: []templates.Option{{Value: "newest", Text: "Newest first"}, {Value: "due", Text: "Due first"}},
		Said:  hostile, ClearHref: "/things", Problems: []string{hostile}, Whole: []string{hostile},
	}
}
