package templates_test

import (
	"net/url"

	"github.com/a-h/templ"

	"onlyonce/templates"
)

// invoiceStates are the pages of invoices, and of what belongs to them.
func invoiceStates(page, withHistory templates.Page, archived templates.RecordView) map[string]templ.Component {
	row := templates.InvoiceRow{Href: "/invoices/1", Number: hostile, Customer: hostile, Status: "draft", Total: "1.00 EUR"}
	sums := []templates.Standing{
		{Kind: "open", Label: "Open", Href: "/invoices?status=open", Count: "1,000+", Amounts: []string{"1.00 EUR", hostile}, More: true},
		{Kind: "overdue", Label: "Overdue", Href: "/invoices?status=overdue", Count: "0"},
	}
	all := map[string]templ.Component{
		"invoices": templates.InvoiceListPage(page, templates.InvoiceList{
			Rows: []templates.InvoiceRow{row}, Finder: finder(), Standing: sums,
		}),
		"no invoices found": templates.InvoiceListPage(page, templates.InvoiceList{Finder: finder(), Standing: sums}),
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
		"customer": templates.CustomerPage(withHistory, archived, templates.CustomerInvoices{
			Rows: []templates.InvoiceRow{row}, Pager: templates.Pager{NextHref: "?cursor=x"}, Balance: sums,
			Href: "/invoices?customer_id=1",
		}),
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
