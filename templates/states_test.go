package templates_test

import (
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
	withHistory.History = []templates.HistoryEntry{
		{Changes: []templates.HistoryChange{{Label: "Name", Was: hostile, Is: hostile}, {Label: "Notes", Is: hostile}}, By: hostile},
		{Text: "Created", Key: hostile, By: hostile},
	}
	anonymous := templates.Page{Asset: page.Asset}
	record := templates.Record{Name: "2026-0042", Href: "/invoices/1"}
	row := templates.InvoiceRow{Href: "/invoices/1", Number: hostile, Customer: hostile, Status: "draft", Total: "1.00 EUR"}
	problem := templates.Problem{Href: "/problems/x", Title: "Number taken", Status: 409, Meaning: hostile, ToDo: hostile}

	finder := templates.Finder{
		Pager: templates.Pager{FirstHref: "/invoices", PreviousHref: "?cursor=x", NextHref: "?cursor=y"},
		Href:  "/invoices", Many: "invoices", Search: hostile, Placeholder: "Number",
		Hidden: []templates.Field{{Name: "status", Value: "open"}},
		Chips:  []templates.NavItem{{Text: "All", Href: "/invoices"}, {Text: "Open", Href: "/invoices?status=open", Current: true}},
		Only:   []templates.Narrowing{{Text: hostile, All: hostile, Href: "/invoices"}},
		Dated:  true, From: "2026-01-01", To: "never", Sort: "due",
		Sorts: []templates.Option{{Value: "newest", Text: "Newest first"}, {Value: "due", Text: "Due first"}},
		Said:  hostile, ClearHref: "/invoices", Problems: []string{hostile}, Whole: []string{hostile},
	}
	sums := []templates.Standing{
		{Kind: "open", Label: "Open", Href: "/invoices?status=open", Count: "1,000+", Amounts: []string{"1.00 EUR", hostile}, More: true},
		{Kind: "overdue", Label: "Overdue", Href: "/invoices?status=overdue", Count: "0"},
	}

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
		"invoices": templates.InvoiceListPage(page, templates.InvoiceList{
			Rows: []templates.InvoiceRow{row}, Finder: finder, Standing: sums,
		}),
		"no invoices found": templates.InvoiceListPage(page, templates.InvoiceList{Finder: finder, Standing: sums}),
		"no invoices":       templates.InvoiceListPage(page, templates.InvoiceList{}),
		"invoice": templates.InvoicePage(page, templates.Invoice{
			Number: hostile, Notes: hostile,
			Lines: []templates.InvoiceLine{{Description: hostile}},
			Taxes: []templates.TaxLine{{Rate: "23%"}},
			Mails: templates.InvoiceMails{
				Rows: []templates.MailRow{{Href: "/outbox/1", To: hostile, State: hostile, Failed: true}},
				Send: templates.Action{Text: "Try again", Href: "/invoices/1/send"}, OtherHref: "/invoices/1/send/new",
			},
		}),
		"invoice with payments and credits": templates.InvoicePage(page, templates.Invoice{
			Number: "2026-0042", Status: "paid", Paid: "1.00", Credited: "2.00", Open: "0.00", CreditHref: "/invoices/1/credit-notes/new",
			Ledger: []templates.LedgerRow{
				{
					Date: "21 Nov 2026", Kind: "Payment", Amount: "3.00 EUR", Details: hostile,
					RefundHref: "/payments/1/refunds/new", Left: "1.00 EUR",
				},
				{Date: "22 Nov 2026", Kind: "Refund", Amount: "−2.00 EUR"},
				{Date: "22 Nov 2026", Kind: "Credit note", Amount: "2.00 EUR", Number: "CN-2026-0001", Href: "/credit-notes/1"},
			},
		}),
		"invoice credited": templates.InvoicePage(page, templates.Invoice{Number: "2026-0042", Status: "credited", Credited: "3.00"}),
		"refund form": templates.RefundForm(page, templates.RefundFormView{
			Form:    templates.Form{Title: "Record a refund", Key: "k", Typed: url.Values{"amount": {hostile}}},
			Payment: hostile, Number: hostile, Href: "/invoices/1", Currency: "EUR", Left: "1,234.50", SeenLeft: "1234.50",
		}),
		"credit note form": templates.CreditNoteForm(page, templates.CreditNoteFormView{
			Form: templates.Form{
				Title: "New credit note", Key: "k", Typed: url.Values{"line_quantity": {"1", hostile}},
				Errors: templates.FieldErrors{{Control: templates.LineControl("line_quantity", 1), Message: hostile}},
			},
			Number: hostile, Href: "/invoices/1", Currency: "EUR", Open: "1,234.50", SeenOpen: "1234.50",
			Lines: []templates.CreditLine{{Description: hostile, UnitPrice: "50.00", Left: "2"}, {Description: "Printing", Left: "0.5"}},
		}),
		"credit note": templates.CreditNotePage(page, templates.CreditNote{
			Number: "CN-2026-0001", Buyer: templates.Party{Name: hostile}, InvoiceNumber: hostile, InvoiceHref: "/invoices/1",
			Lines: []templates.InvoiceLine{{Description: hostile}}, Taxes: []templates.TaxLine{{Rate: "23%"}},
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
		"empty list": templates.ListPage(page, templates.List{One: "thing", Many: "things", Href: "/things", Empty: hostile}),
		"empty archive": templates.ListPage(page, templates.List{
			One: "thing", Many: "things", Href: "/things", Archive: hostile, Archived: true,
		}),
		"record": templates.RecordPage(withHistory, archived),
		"customer": templates.CustomerPage(withHistory, archived, templates.CustomerInvoices{
			Rows: []templates.InvoiceRow{row}, Pager: templates.Pager{NextHref: "?cursor=x"}, Balance: sums,
			Href: "/invoices?customer_id=1",
		}),
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
		"payment form": templates.PaymentForm(page, templates.PaymentFormView{
			Form:   templates.Form{Title: "Record a payment", Key: "k", Typed: url.Values{"amount": {hostile}, "method": {"barter"}}},
			Number: hostile, Href: "/invoices/1", Currency: "EUR", Open: "1,234.50", SeenOpen: "1234.50",
			Methods: []templates.Option{{Value: "card", Text: "Card"}},
		}),
		"mail form": templates.MailForm(page, templates.MailFormView{
			Form:   templates.Form{Title: "Send this invoice by e-mail", Key: "k", Typed: url.Values{"recipient": {hostile}}},
			Number: hostile, Href: "/invoices/1",
		}),
		"mail":        templates.MailPage(withHistory, templates.Mail{RecordView: archived, Text: hostile}),
		"mail unsent": templates.MailPage(page, templates.Mail{}),
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
		"fresh invoice form": templates.InvoiceFormPage(page, templates.InvoiceForm{
			Form: templates.Form{Title: "New invoice", Key: "k"}, Lines: []templates.InvoiceFormLine{{}},
		}),
	}
	for name, form := range returnedForms() {
		all["invoice form, "+name] = templates.InvoiceFormPage(page, form)
	}
	return all
}

// typedForm is an invoice form in which everything was typed, some of it wrong.
func typedForm() templates.InvoiceForm {
	return templates.InvoiceForm{
		Form: templates.Form{
			Title: "New invoice", Submit: "Create invoice",
			Key: "4f2c1d7a-0b1e-4f0e-9a57-c53f6f6f0a11", Action: "/invoices", Href: "/invoices/new",
			Owner: templates.Owner{ID: "0a3e0000-0000-4000-8000-00000000ac3e", Name: hostile},
		},
		AllowRepeat:   true,
		Customers:     []templates.Option{{Value: "c1", Text: "Ada Byron"}},
		CustomerID:    "gone",
		CustomerEmail: "ada@", CustomerName: hostile, Number: " 2026-0042 ",
		IssueDate: "2026-11-21", DueDate: "21/12/2026",
		Currencies: []templates.Currency{{Code: "EUR", Digits: 2}, {Code: "JPY"}},
		Currency:   "EURO", Notes: "\n  first line\nsecond, " + hostile,
		Lines: []templates.InvoiceFormLine{
			{Description: "Design", Quantity: "two", UnitPrice: "50,00", TaxRate: "23"},
			{},
			{Description: hostile, Quantity: "1", UnitPrice: "0.5", TaxRate: "6"},
		},
	}
}

// returnedForms are all the ways in which the invoice form comes back.
func returnedForms() map[string]templates.InvoiceForm {
	record := templates.Record{Name: "2026-0042", Href: "/invoices/1"}
	again := templates.Submit{Text: "Create as a new invoice", Name: "fresh_key", Value: "fresh"}
	notices := map[string]*templates.Notice{
		"conflict": templates.Conflict("Invoice number 2026-0042 already exists.", "We kept the original.", record,
			[]templates.Submit{{Text: "Use the next number, 2026-0043", Name: "next_number", Value: "1"}}),
		"form spent":   templates.FormSpent("created", record, again),
		"no key":       templates.NoKey("fresh"),
		"stale":        templates.Stale(record, true),
		"other tenant": templates.OtherTenant(templates.Owner{ID: "a", Name: hostile}, templates.Owner{ID: "b", Name: hostile}, true),
		"unconfirmed":  templates.Unconfirmed(),
		"still saving": templates.StillSaving(),
		"busy":         templates.Busy(),
	}
	forms := map[string]templates.InvoiceForm{}
	for name, notice := range notices {
		form := typedForm()
		form.Notice = notice
		forms[name] = form
	}
	invalid := typedForm()
	for _, control := range []string{
		"customer_id", "customer_email", "customer_name", "number", "currency", "issue_date", "due_date", "notes",
		templates.LineControl("line_description", 1), templates.LineControl("line_quantity", 0),
		templates.LineControl("line_unit_price", 0), templates.LineControl("line_tax_rate", 2),
	} {
		invalid.Errors = append(invalid.Errors, templates.FieldError{Control: control, Message: "Mend " + control})
	}
	forms["invalid"] = invalid
	return forms
}
