package peopleviews_test

import (
	"net/url"
	"testing"

	"github.com/a-h/templ"

	"onlyonce/templates"
	"onlyonce/templates/peopleviews"
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
	row := peopleviews.AttemptRow{
		At: "22 Nov 2026, 09:30:12 UTC", What: hostile, Href: "/things/1", Outcome: "Refused", Kind: "refused", Detail: hostile,
		By: hostile, Took: "12 ms", Key: hostile, KeyHref: "/attempts?key=x", Replica: hostile,
	}
	withHistory.Attempts = peopleviews.AttemptsSection(peopleviews.Attempts{
		Summary: "Created once.", Rows: []peopleviews.AttemptRow{row}, AllHref: "/attempts?record=x",
	})
	withLines := []templates.Fact{{Label: "Address", Value: hostile + "\n" + hostile}}

	return map[string]templ.Component{
		"attempts": peopleviews.AttemptsPage(page, peopleviews.AttemptList{
			Kept: "7 days", Rows: []peopleviews.AttemptRow{row, {What: "New invoice", Outcome: "Failed", Kind: "failed"}},
			Key: hostile, Record: hostile,
			Outcomes: []templates.Option{{}, {Value: "failed", Text: "Failed"}}, Outcome: "failed",
			Operations: []templates.Option{{}, {Value: "x", Text: hostile}},
		}),
		"installation": peopleviews.InstallationPage(page, peopleviews.Installation{
			Title: "Jobs", About: "About jobs.", Columns: []templates.Column{{Label: "Job", Class: "name"}, {Label: "State"}, {}},
			Rows: []peopleviews.InstallationRow{
				{
					Cells: []string{hostile, hostile}, Retry: "/installation/jobs/1/retry", Label: "Try again: " + hostile,
					Fields: append(archived.Restore.Owner.Fields(), templates.Field{Name: peopleviews.AttemptField, Value: "1"}),
				},
				{Cells: []string{hostile, hostile}},
			},
		}),
		"installation, empty":     peopleviews.InstallationPage(page, peopleviews.Installation{Title: "Jobs", None: "No job has failed"}),
		"installation, not found": peopleviews.InstallationPage(page, peopleviews.Installation{Title: "People", Finder: viewtest.Finder()}),
		"no attempts":             peopleviews.AttemptsPage(page, peopleviews.AttemptList{Kept: "7 days"}),
		"no attempts found":       peopleviews.AttemptsPage(page, peopleviews.AttemptList{Kept: "7 days", Finder: viewtest.Finder()}),
		"attempts not kept":       peopleviews.AttemptsPage(page, peopleviews.AttemptList{}),
		"settings": peopleviews.SettingsPage(withHistory, peopleviews.Settings{
			RecordView: templates.RecordView{Name: "Settings", Facts: archived.Facts, EditHref: "/settings/edit"},
			Groups:     []peopleviews.FactGroup{{Title: "Bank account", Facts: withLines}}, DownloadHref: "/settings/data.zip",
		}),
		"settings form": peopleviews.SettingsFormPage(page, peopleviews.SettingsForm{
			Form: templates.Form{
				Title: "Edit settings", Key: "k", Version: 2,
				Typed:  url.Values{"name": {hostile}, "address": {hostile + "\n"}, "country": {"XX"}},
				Errors: templates.FieldErrors{{Control: "country", Message: "Choose a country."}, {Control: "address", Message: hostile}},
			},
			Countries: []templates.Option{{}, {Value: "IE", Text: "Ireland"}}, Currencies: []templates.Option{{Value: "EUR", Text: "EUR"}},
		}),
		"person": peopleviews.PersonPage(withHistory, peopleviews.Person{
			RecordView: templates.RecordView{
				Name: hostile, Facts: archived.Facts, EditHref: "/people/1/edit", Actions: []templates.Action{archived.Restore},
			},
			Link: "https://invoices.example/join?link=" + hostile, Until: "24 Nov 2026, 09:30 UTC", Mailed: hostile,
			Uninvite: archived.Restore,
		}),
		"person with another's link": peopleviews.PersonPage(page, peopleviews.Person{Until: "24 Nov 2026", Uninvite: archived.Restore}),
		"person without a link":      peopleviews.PersonPage(page, peopleviews.Person{Send: archived.Restore, Invite: archived.Restore}),
		"person, disabled":           peopleviews.PersonPage(page, peopleviews.Person{Disabled: "21 Nov 2026", Enable: archived.Restore}),
		"person form": peopleviews.PersonForm(page, templates.Form{
			Title: "Add a person", Key: "k", Typed: url.Values{"email": {hostile}, "role": {hostile}},
			Errors: templates.FieldErrors{{Control: "role", Message: hostile}},
			Also:   templates.Submit{Text: "Add and email a link", Name: "send", Value: "true"},
		}),
		"token": peopleviews.TokenPage(withHistory, peopleviews.Token{
			RecordView: templates.RecordView{Name: hostile, Facts: archived.Facts, Actions: []templates.Action{archived.Restore}},
			Secret:     hostile, Until: "10:30 UTC",
		}),
		"token, later": peopleviews.TokenPage(page, peopleviews.Token{
			RecordView: templates.RecordView{Name: "sync", Actions: []templates.Action{archived.Restore}},
		}),
		"token form": peopleviews.TokenForm(page, templates.Form{
			Title: "New token", Key: "k", Typed: url.Values{"scope": {"customers", hostile}},
			Errors: templates.FieldErrors{{Control: "scope", Message: hostile}},
		}, []string{"customers", "events"}),
		"login": peopleviews.LoginPage(anonymous, peopleviews.Login{
			Next: "/invoices",
			Demo: []templates.DemoLogin{{Tenant: "Acme", Email: "a@b.c", Password: "p"}},
		}),
		"login, form kept": peopleviews.LoginPage(anonymous, peopleviews.Login{Next: "/invoices/new?key=1", Kept: true}),
		"login without HTTPS": peopleviews.LoginPage(anonymous, peopleviews.Login{
			PlainHTTP: &peopleviews.PlainHTTP{Here: hostile}, WayIn: peopleviews.WayIn("onlyonce"),
		}),
		"login by the wrong address": peopleviews.LoginPage(anonymous, peopleviews.Login{
			PlainHTTP: &peopleviews.PlainHTTP{Outside: "https://books.example"},
			Demo:      []templates.DemoLogin{{Tenant: "Acme", Email: "a@b.c", Password: "p"}},
		}),
		"login without users":   peopleviews.LoginPage(anonymous, peopleviews.Login{WayIn: peopleviews.WayIn("onlyonce")}),
		"login refused":         peopleviews.LoginPage(anonymous, peopleviews.Login{Email: hostile, Error: "Email or password is wrong."}),
		"login, business ready": peopleviews.LoginPage(anonymous, peopleviews.Login{Ready: true, SignUp: true}),
		"sign up":               peopleviews.SignUpForm(anonymous, templates.Form{Title: "Sign up", Submit: "Email a link", Key: "k"}),
		"sign up, wrong": peopleviews.SignUpForm(anonymous, templates.Form{
			Title: "Sign up", Submit: "Email a link", Key: "k", Typed: url.Values{"email": {hostile}},
			Errors: templates.FieldErrors{{Control: "email", Message: hostile}},
		}),
		"sign up, sent":        peopleviews.SignUpSentPage(anonymous, peopleviews.SignUpSent{Email: hostile}),
		"sign up, in the demo": peopleviews.SignUpSentPage(anonymous, peopleviews.SignUpSent{Email: hostile, Link: "/x?link=" + hostile}),
		"business": peopleviews.SignUpBusinessPage(anonymous, peopleviews.SignUpBusiness{
			Form: templates.Form{
				Title: "Create your business", Submit: "Create business", Key: "k",
				Typed:  url.Values{"business": {hostile}, "password": {"p"}},
				Errors: templates.FieldErrors{{Control: "business", Message: hostile}, {Control: "password", Message: hostile}},
			},
			Email: hostile, Link: hostile, MinPassword: 12,
		}),
		"business, ready":      peopleviews.SignUpBusinessPage(anonymous, peopleviews.SignUpBusiness{Email: hostile, Started: true}),
		"forgot":               peopleviews.ForgotPage(anonymous, peopleviews.Forgot{}),
		"forgot, asked":        peopleviews.ForgotPage(anonymous, peopleviews.Forgot{Asked: true}),
		"forgot, without mail": peopleviews.ForgotPage(anonymous, peopleviews.Forgot{NoMail: true}),
		"forgot, wrong": peopleviews.ForgotPage(anonymous, peopleviews.Forgot{
			Email: hostile, Errors: templates.FieldErrors{{Control: "email", Message: hostile}},
		}),
		"choose a password": peopleviews.JoinPage(anonymous, peopleviews.Join{
			Link: "l", Email: hostile, Tenant: hostile, MinPassword: 12,
			Errors: templates.FieldErrors{{Control: "password", Message: "Choose a longer one."}},
		}),
		"choose a password without HTTPS": peopleviews.JoinPage(anonymous, peopleviews.Join{
			Link: "l", Email: hostile, Tenant: hostile, MinPassword: 12, PlainHTTP: &peopleviews.PlainHTTP{Here: hostile},
		}),
		"a link that is over": peopleviews.JoinPage(anonymous, peopleviews.Join{}),
		"account": peopleviews.AccountPage(page, peopleviews.Account{
			Facts: archived.Facts, Owner: templates.Owner{ID: "1", Name: "Acme"}, MinPassword: 12,
			Errors:   templates.FieldErrors{{Control: "password", Message: "This isn't your current password."}},
			Sessions: []peopleviews.Session{{ID: "1", Device: hostile}, {ID: "2", Device: hostile}}, ListedSessions: 2, Session: "1",
		}),
	}
}
