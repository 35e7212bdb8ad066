package invoiceviews_test

import (
	"net/url"
	"testing"

	"github.com/a-h/templ"

	"onlyonce/templates"
	"onlyonce/templates/invoiceviews"
	"onlyonce/templates/viewtest"
)

const hostile = viewtest.Hostile

func TestRulesOfPages(t *testing.T) {
	t.Parallel()
	viewtest.Check(t, states())
}

// states returns each page of this package in its relevant states.
func states() map[string]templ.Component {
	page, withHistory, archived := viewtest.Page(), viewtest.WithHistory(), viewtest.Archived()
	row := invoiceviews.InvoiceRow{Href: "/invoices/1", Number: hostile, Customer: hostile, Status: "draft", Total: "1.00 EUR"}
	sums := []invoiceviews.Standing{
		{Kind: "open", Label: "Open", Href: "/invoices?status=open", Count: "1,000,000", Amounts: []string{"1.00 EUR", hostile}},
		{Kind: "overdue", Label: "Overdue", Href: "/invoices?status=overdue", Count: "0"},
	}
	all := map[string]templ.Component{
		"home, empty": invoiceviews.HomePage(page, invoiceviews.Home{NewHref: "/invoices/new"}),
		"home": invoiceviews.HomePage(page, invoiceviews.Home{
			FailedMails: []invoiceviews.FailedMail{{Href: "/invoices/1", Number: hostile, To: hostile, Reason: hostile}},
			Standing:    sums, Overdue: []invoiceviews.InvoiceRow{row}, Drafts: []invoiceviews.InvoiceRow{row},
			Recent: []invoiceviews.InvoiceRow{row},
			Currencies: []invoiceviews.CurrencyCharts{{
				Currency: "EUR",
				Ages: invoiceviews.Chart{
					Title: "Open by age, EUR", Series: []string{"Open"}, Ticks: []invoiceviews.Tick{{Text: "0"}, {Amount: 100, Text: "1"}},
					Places: []invoiceviews.Bars{{Short: "Not due", Long: "Not due", All: []invoiceviews.Bar{{Text: "0.00 EUR"}}}},
				},
				Months: invoiceviews.Chart{
					Title: "Billed and paid by month, EUR", Series: []string{"Billed", "Paid"},
					Ticks: []invoiceviews.Tick{{Amount: -100, Text: "-1"}, {Text: "0"}, {Amount: 100, Text: "1"}},
					Places: []invoiceviews.Bars{{
						Short: "Jan", Long: "January",
						All: []invoiceviews.Bar{{Amount: 100, Text: "1.00 EUR"}, {Amount: -50, Text: "−0.50 EUR"}},
					}},
				},
			}},
		}),
		"invoices": invoiceviews.InvoiceListPage(page, invoiceviews.InvoiceList{
			Rows: []invoiceviews.InvoiceRow{row}, Finder: viewtest.Finder(), Standing: sums,
		}),
		"overdue invoices": invoiceviews.InvoiceListPage(page, invoiceviews.InvoiceList{
			BatchHref: "/invoice-batches/new", RemindHref: "/reminder-batches/new", Chooses: templates.Link{Text: "Choose all", Href: "?"},
			Rows: []invoiceviews.InvoiceRow{{
				ID: "1", Chosen: true, Href: "/invoices/1", Number: "2026-0042", Status: "overdue", Late: "12 days",
				Reminded: "Reminded 2× · 12 Nov",
			}},
		}),
		"no invoices found": invoiceviews.InvoiceListPage(page, invoiceviews.InvoiceList{Finder: viewtest.Finder(), Standing: sums}),
		"no invoices":       invoiceviews.InvoiceListPage(page, invoiceviews.InvoiceList{NewHref: "/invoices/new"}),
		"invoices that are too many to sum up": invoiceviews.InvoiceListPage(page, invoiceviews.InvoiceList{
			Rows: []invoiceviews.InvoiceRow{row}, Unsummed: true,
			Finder: templates.Finder{Pager: templates.Pager{CSVHref: "/invoices/csv"}},
		}),
		"tax summary": invoiceviews.TaxSummaryPage(page, invoiceviews.TaxSummary{
			Title: "1 Nov 2026 – 30 Nov 2026", From: "2026-11-01", To: "2026-11-30", CSVHref: "/tax-summary/csv",
			Closed: "The books are closed through 31 Oct 2026.", CloseHref: "/closings/new?through=2026-11-30",
			Periods: []templates.NavItem{{Text: "This month", Href: "/tax-summary", Current: true}},
			Currencies: []invoiceviews.TaxCurrency{{Code: "EUR", Rows: []invoiceviews.TaxRow{
				{Rate: "23%", Kind: "Invoices", Net: "1.00", Tax: "0.23", Gross: "1.23"},
				{Rate: "23%", Kind: "Result", Net: "1.00", Tax: "0.23", Gross: "1.23", Result: true},
			}, Totals: []invoiceviews.TaxRow{{Rate: "All rates", Kind: "Result", Net: "1.00", Tax: "0.23", Gross: "1.23", Result: true}}}},
			EUSales: []invoiceviews.EUSale{
				{Country: "FR", VATNumber: "FR32123456789", Customer: hostile, Kind: "Goods", Net: "1.00 EUR"}, {Customer: hostile},
			},
			EUSalesHref: "/tax-summary/csv?part=eu_sales", EUSalesLeftOut: true,
			Mistaken: []invoiceviews.EUSale{{Country: "US", Customer: hostile, Net: "1.00 EUR", Href: "/invoices?q=Ada"}},
		}),
		"tax summary of nothing": invoiceviews.TaxSummaryPage(page, invoiceviews.TaxSummary{Title: "1 Nov 2026 – 30 Nov 2026"}),
		"tax summary refused": invoiceviews.TaxSummaryPage(page, invoiceviews.TaxSummary{
			From: hostile, To: hostile, Problems: []string{hostile},
		}),
		"statement": invoiceviews.StatementPage(page, invoiceviews.Statement{
			Customer: templates.Link{Text: hostile, Href: "/customers/1"}, Href: "/customers/1/statement", Currency: "EUR",
			From: "2026-09-01", To: "2026-11-30", CSVHref: "/customers/1/statement/csv", PDFHref: "/customers/1/statement/pdf",
			Periods:    []templates.NavItem{{Text: "This month", Href: "?from=2026-11-01", Current: true}},
			Currencies: []templates.NavItem{{Text: "EUR", Href: "?currency=EUR", Current: true}, {Text: "JPY", Href: "?currency=JPY"}},
			Balances:   []templates.Fact{{Label: "Balance before 1 Sep 2026", Value: "1,234.50 EUR"}},
			Rows: []invoiceviews.StatementRow{
				{Date: "21 Nov 2026", Kind: "Invoice", Href: "/invoices/1", Number: "2026-0042", Amount: "100.00", Balance: "1,334.50"},
				{Date: "22 Nov 2026", Kind: "Receipt", Href: "/receipts/1", Reference: hostile, Amount: "−9.00", Balance: "1,325.50"},
			},
			Pager: templates.Pager{NextHref: "?cursor=x"},
		}),
		"statement of nothing": invoiceviews.StatementPage(page, invoiceviews.Statement{Customer: templates.Link{Text: "Ada", Href: "/"}}),
		"statement refused": invoiceviews.StatementPage(page, invoiceviews.Statement{
			Customer: templates.Link{Text: "Ada", Href: "/"}, From: hostile, To: hostile, Currency: hostile, Problems: []string{hostile},
		}),
		"duplicate invoices": invoiceviews.DuplicatesPage(page, invoiceviews.Duplicates{Groups: []invoiceviews.Group{{
			Why: hostile, More: "There are more.", ApartHref: "/invoice-distinctions/new",
			Invoices: []invoiceviews.InvoiceRow{{Href: "/invoices/1", Number: "2026-0042", Status: "draft", Total: "1.00 EUR"}},
			Voids: []templates.Action{
				{Text: "Void", Href: "/void", Key: "k", Fields: []templates.Field{{Name: "duplicate_of", Value: "1"}}},
			},
		}}}),
		"no duplicate invoices": invoiceviews.DuplicatesPage(page, invoiceviews.Duplicates{}),
		"no duplicate invoices, and more": invoiceviews.DuplicatesPage(page, invoiceviews.Duplicates{
			Pager: templates.Pager{NextHref: "/duplicate-invoices?cursor=1"},
		}),
		"invoice distinction form": invoiceviews.ApartForm(page, templates.Form{Title: "Not duplicates", Key: "k"},
			[]invoiceviews.InvoiceRow{{Number: "2026-0042", Status: "void"}, {Number: "2026-0043", Status: "issued"}}),
		"invoice distinction form refused": invoiceviews.ApartForm(page, templates.Form{
			Title: "Not duplicates", Key: "k", Errors: templates.FieldErrors{{Control: "invoices", Message: hostile}},
		}, nil),
		"issue": invoiceviews.IssuePage(page, invoiceviews.Issue{
			Form:        templates.Form{Key: "k", Action: "/invoices/1/issue", Version: 1, Typed: url.Values{"message": {hostile}}},
			InvoiceStep: invoiceviews.InvoiceStep{Number: hostile, Href: "/invoices/1", Customer: hostile, Total: "1.00 EUR", Due: "today"},
			To:          hostile, CopiesTo: hostile, NoMailServer: true, Warnings: []invoiceviews.Warning{
				{Text: hostile, Fix: templates.Link{Text: "Add it in the settings", Href: "/settings/edit"}, When: " first, if it should."},
			},
		}),
		"issue refused": invoiceviews.IssuePage(page, invoiceviews.Issue{
			To: hostile, Form: templates.Form{Key: "k", Errors: templates.FieldErrors{{Control: "message", Message: hostile}}},
		}),
		"next number": invoiceviews.NextNumberForm(page, templates.Form{Key: "k", Submit: "Set next number"}, hostile),
		"next number refused": invoiceviews.NextNumberForm(page, templates.Form{
			Key: "k", Submit: "Set next number", Errors: templates.FieldErrors{{Control: "number", Message: hostile}},
		}, hostile),
		"close": invoiceviews.ClosePage(templates.PlainForm(page, templates.Form{Key: "k", Submit: "Close the books"}, nil),
			[]invoiceviews.InvoiceRow{{Href: "/invoices/1", Number: hostile, Customer: hostile, Total: "1.00 EUR", IssueDate: "today"}},
			templates.Link{Text: "All drafts through 30 Nov 2026", Href: "/invoices?status=draft&to=2026-11-30"}),
		"close without drafts": invoiceviews.ClosePage(templates.PlainForm(page, templates.Form{Key: "k"}, nil), nil, templates.Link{}),
		"reopen":               invoiceviews.ReopenPage(page, templates.Form{Key: "k", Submit: "Reopen the books", Version: 1}, hostile),
		"void": invoiceviews.VoidPage(page, invoiceviews.Void{
			Form: templates.Form{Key: "k", Submit: "Void invoice", Version: 1}, To: hostile, DuplicateOf: hostile,
			IssueDate: "21 Oct 2026", TakenOff: "22 Nov 2026",
		}),
		"remove payment": invoiceviews.RemovePage(page, invoiceviews.Remove{
			Form: templates.Form{Key: "k", Submit: "Remove payment", Version: 1}, What: "payment", Name: hostile, Href: "/invoices/1",
			Amount: "1.00 EUR", Date: "paid 21 Nov 2026", Effects: []string{"The open amount goes up."}, Reference: hostile,
		}),
		"remove payment again": invoiceviews.RemovePage(page, invoiceviews.Remove{
			Form: templates.Form{Key: "k", Submit: "Remove payment"}, What: "payment", Href: "/invoices/1", Removed: true,
		}),
		"receipt form": invoiceviews.ReceiptForm(page, invoiceviews.ReceiptFormView{
			Form: templates.Form{
				Title: "Record a receipt", Key: "k", LinesHref: "/receipts/form",
				Typed:  url.Values{"amount": {hostile}, "reference": {hostile}},
				Errors: templates.FieldErrors{{Control: "allocations", Message: hostile}},
			},
			Currencies: []templates.Option{{Value: "EUR", Text: "EUR"}}, Methods: []templates.Option{{Value: "cash", Text: "Cash"}},
			Customer: true, More: 50, Invoices: []invoiceviews.ReceiptInvoice{{
				ID: hostile, Amount: templates.Input{ID: "allocation_amount-0", Name: "allocation_amount", Label: hostile, Value: hostile},
			}},
		}),
		"receipt form, nothing open": invoiceviews.ReceiptForm(page, invoiceviews.ReceiptFormView{
			Form: templates.Form{Title: "Record a receipt", Key: "k", LinesHref: "/receipts/form"}, Customer: true,
		}),
		"receipt": templates.RecordPageWith(page, templates.RecordView{Name: hostile}, []templ.Component{
			invoiceviews.ReceiptSections(invoiceviews.ReceiptUses{
				Payments: []invoiceviews.ReceiptPayment{
					{Date: "21 Nov 2026", Amount: "1.00 EUR", Number: hostile, Href: "/invoices/1", RemoveHref: "/payments/1/remove"},
					{Date: "21 Nov 2026", Amount: "1.00 EUR", Number: hostile, Href: "/invoices/2", Removed: true},
					{Date: "1 Oct 2026", Amount: "1.00 EUR", Number: hostile, Href: "/invoices/3", Kept: hostile},
				},
				Repayments: []invoiceviews.ReceiptRepayment{
					{Name: "1.00 EUR on 21 Nov 2026", Reference: hostile, RemoveHref: "/repayments/1/remove"},
					{Name: "2.00 EUR on 20 Nov 2026", Removed: true},
					{Name: "1.00 EUR on 1 Oct 2026", Closed: true},
				}, More: true, RepayHref: "/receipts/1/repayments/new",
			}),
		}),
		"receipt not used": templates.RecordPageWith(page, templates.RecordView{Name: hostile}, []templ.Component{
			invoiceviews.ReceiptSections(invoiceviews.ReceiptUses{}),
		}),
		"logo": invoiceviews.LogoPage(page, templates.RecordView{
			Name: hostile, Actions: []templates.Action{{Text: "Remove", Href: "/logos/1/remove"}},
		}, "/logos/1/file"),
		"remove attachment": invoiceviews.RemoveAttachmentPage(page, invoiceviews.RemoveAttachment{
			Form: templates.Form{Key: "k", Submit: "Remove attachment", Version: 1}, Number: hostile, Href: "/invoices/1", Name: hostile,
		}),
		"remove attachment again": invoiceviews.RemoveAttachmentPage(page, invoiceviews.RemoveAttachment{
			Form: templates.Form{Key: "k", Submit: "Remove attachment"}, Href: "/invoices/1", Removed: true,
		}),
		"invoice": invoiceviews.InvoicePage(page, invoiceviews.Invoice{
			Number: hostile, Notes: hostile, Seller: invoiceviews.Party{Name: hostile, LogoHref: "/invoices/1/logo"},
			Attachments: invoiceviews.Attachments{Rows: []invoiceviews.Attachment{{
				Name: hostile, Href: "/attachments/1/file", Size: "12 KiB", Day: "21 Nov 2026", RemoveHref: "/attachments/1/remove",
			}}},
			Lines: []invoiceviews.InvoiceLine{{Description: hostile, Discount: hostile}},
			Taxes: []invoiceviews.TaxLine{{Label: "Tax 23%"}},
			Mails: invoiceviews.InvoiceMails{
				Rows: []invoiceviews.MailRow{{
					Href: "/outbox/1", To: hostile, State: hostile, Failed: true, AgainHref: "/invoices/1/send/new?failed_id=1",
				}},
				Send: templates.Action{Text: "Try again", Href: "/invoices/1/send"}, OtherHref: "/invoices/1/send/new",
			},
		}),
		"invoice with payments and credits": invoiceviews.InvoicePage(page, invoiceviews.Invoice{
			Number: "2026-0042", Status: "paid", Paid: "1.00", Credited: "2.00", BecameCredit: "−0.50", Open: "0.00",
			CreditHref: "/invoices/1/credit-notes/new",
			Ledger: invoiceviews.Ledger{Pager: templates.Pager{NextHref: "/invoices/1?cursor=1"}, Rows: []invoiceviews.LedgerRow{
				{
					Date: "21 Nov 2026", Kind: "Payment", Amount: "3.00 EUR", Details: hostile,
					RefundHref: "/payments/1/refunds/new", Left: "1.00 EUR",
				},
				{Date: "22 Nov 2026", Kind: "Refund", Amount: "−2.00 EUR", RemoveHref: "/refunds/1/remove"},
				{Date: "22 Oct 2026", Kind: "Refund", Amount: "−1.00 EUR", Closed: true},
				{Date: "22 Nov 2026", Kind: "Payment", Amount: "2.00 EUR", RemoveHref: "/payments/2/remove"},
				{Date: "22 Nov 2026", Kind: "Payment", Amount: "1.00 EUR", Removed: true},
				{Date: "22 Nov 2026", Kind: "Payment", Amount: "1.00 EUR", ReceiptHref: "/receipts/1", Number: "CN-2026-0001"},
				{Date: "23 Nov 2026", Kind: "Payment removed", Amount: "−1.00 EUR"},
				{Date: "22 Nov 2026", Kind: "Became credit", Amount: "−1.00 EUR", ReceiptHref: "/receipts/1"},
				{Date: "22 Nov 2026", Kind: "Credit note", Amount: "2.00 EUR", Number: "CN-2026-0001", Href: "/credit-notes/1"},
			}},
		}),
		"invoice written off": invoiceviews.InvoicePage(page, invoiceviews.Invoice{
			Number: "2026-0042", Status: "written_off", Paid: "1.00", WrittenOff: "2.00", Open: "0.00",
			Ledger: invoiceviews.Ledger{Rows: []invoiceviews.LedgerRow{
				{Date: "21 Nov 2026", Kind: "Write-off", Amount: "2.00 EUR", Details: hostile, TakeBackHref: "/write-offs/1/reverse"},
				{Date: "22 Nov 2026", Kind: "Write-off", Amount: "1.00 EUR", Removed: true},
				{Date: "23 Nov 2026", Kind: "Write-off taken back", Amount: "−1.00 EUR"},
			}},
		}),
		"write-off form": invoiceviews.WriteOffForm(page, invoiceviews.WriteOffFormView{
			Form:   templates.Form{Title: "Write off", Key: "k", Typed: url.Values{"amount": {hostile}, "reason": {"boredom"}}},
			Number: hostile, Href: "/invoices/1", Currency: "EUR", Open: "1,234.50", SeenOpen: "1234.50",
			Reasons: []templates.Option{{Value: "bad_debt", Text: "Bad debt"}},
		}),
		"take back write-off": invoiceviews.TakeBackPage(page, invoiceviews.TakeBack{
			Form: templates.Form{Key: "k", Submit: "Take back", Version: 1}, Number: hostile, Href: "/invoices/1",
			Amount: "1.00 EUR", Date: "21 Nov 2026",
		}),
		"take back write-off again": invoiceviews.TakeBackPage(page, invoiceviews.TakeBack{
			Form: templates.Form{Key: "k", Submit: "Take back"}, Href: "/invoices/1", Reversed: true,
		}),
		"invoice reminded": invoiceviews.InvoicePage(page, invoiceviews.Invoice{
			Number: "2026-0042", Status: "overdue", Open: "3.00", DueDate: "1 Nov 2026", LastReminder: "Payment reminder, 12 Nov 2026",
			PayHref: "/invoices/1/payments/new", WriteOffHref: "/invoices/1/write-offs/new",
			Remind: templates.Link{Text: "Send second reminder", Href: "/invoices/1/reminders/new"},
		}),
		"draft of a closed day": invoiceviews.InvoicePage(page, invoiceviews.Invoice{Number: "2026-0042", Status: "draft", Closed: true}),
		"invoice credited": invoiceviews.InvoicePage(page, invoiceviews.Invoice{
			Number: "2026-0042", Status: "credited", Credited: "3.00", Closed: true,
		}),
		"webhook source form": invoiceviews.WebhookSourceForm(page, templates.Form{
			Title: "Add a webhook source", Key: "k", Typed: url.Values{"name": {hostile}},
		}, []templates.Option{{Value: "stripe", Text: "Stripe"}}),
		"webhook secret form": invoiceviews.WebhookSecretFormPage(page, invoiceviews.WebhookSecretForm{
			Form: templates.Form{Title: "Add a signing secret", Key: "k"}, Source: hostile, Href: "/webhooks/1", Hint: hostile,
		}),
		"webhook source": invoiceviews.WebhookSourcePage(page, invoiceviews.WebhookSource{
			RecordView: templates.RecordView{Name: hostile}, URL: "https://example.com/hooks/1", AddHref: "/webhooks/1/webhook-secrets/new",
			Locked: true,
			Secrets: []invoiceviews.WebhookSecret{
				{Added: "23 Nov 2026", State: "in use", End: templates.Action{Text: "End", Href: "/webhook-secrets/1/end"}},
				{State: "ended"},
			},
		}),
		"webhook event": invoiceviews.WebhookEventPage(page, invoiceviews.WebhookEvent{
			RecordView: templates.RecordView{Name: hostile}, Reason: hostile, Advice: hostile, Body: hostile,
		}),
		"webhook event without its content": invoiceviews.WebhookEventPage(page, invoiceviews.WebhookEvent{Kept: "30 days"}),
		"refund form": invoiceviews.RefundForm(page, invoiceviews.RefundFormView{
			Form: templates.Form{
				Title: "Record a refund", Key: "k", Typed: url.Values{"amount": {hostile}}, Errors: templates.FieldErrors{
					{Control: "amount", Message: hostile, Readings: [2]string{"1250", hostile}},
				},
			},
			Payment: hostile, Number: hostile, Href: "/invoices/1", Currency: "EUR", Left: "1,234.50", SeenLeft: "1234.50", Reopens: true,
		}),
		"credit note form": invoiceviews.CreditNoteForm(page, invoiceviews.CreditNoteFormView{
			Form: templates.Form{
				Title: "New credit note", Key: "k", Typed: url.Values{"line_quantity": {"1", hostile}, "amount": {hostile}},
				Errors: templates.FieldErrors{{Control: invoiceviews.LineControl("line_quantity", 1), Message: hostile}},
			},
			Number: hostile, Href: "/invoices/1", Currency: "EUR", Open: "1,234.50", SeenOpen: "1234.50",
			Paid: "5.00", Became: "1.00", Most: "1,239.50",
			Preview: invoiceviews.CreditPreview{Net: "1.00", Tax: "0.23", Total: "1.23", BecomesCredit: "0.00"},
			Lines: []invoiceviews.CreditLine{
				{Description: hostile, Quantity: "2 hours", UnitPrice: "50.00", Amount: "100.00", Left: "2 hours", LeftAmount: "100.00"},
				{Description: "Printing", Left: "0.5"},
			},
		}),
		"credit note form that can't be previewed": invoiceviews.CreditNoteForm(page, invoiceviews.CreditNoteFormView{
			Form: templates.Form{Title: "New credit note", Key: "k", LinesHref: "/invoices/1/credit-notes/form"},
			Href: "/invoices/1", Preview: invoiceviews.CreditPreview{Impossible: true},
		}),
		"credit note that is reversed": invoiceviews.CreditNotePage(page, invoiceviews.CreditNote{
			Number: "CN-2026-0001", Total: "2.00", ReversedBy: "CN-2026-0002", OtherHref: "/credit-notes/2",
			Mails: invoiceviews.InvoiceMails{
				Send: templates.Action{Text: "Send by email", Href: "/invoices/1/send", Key: "k"}, OtherHref: "/invoices/1/send/new",
			},
		}),
		"reversal": invoiceviews.CreditNotePage(page, invoiceviews.CreditNote{
			Number: "CN-2026-0002", Total: "−2.00", BecameCredit: "−1.00", Reverses: "CN-2026-0001", OtherHref: "/credit-notes/1",
		}),
		"reversal form": invoiceviews.ReverseForm(page, invoiceviews.ReverseFormView{
			Form:   templates.Form{Title: "Reverse a credit note", Key: "k", Typed: url.Values{"reason": {hostile}}},
			To:     hostile,
			Number: "CN-2026-0001", Href: "/credit-notes/1", Amount: "2.00 EUR", Invoice: hostile, InvoiceHref: "/invoices/1",
			BecameCredit: "1.00 EUR",
		}),
		"credit note": invoiceviews.CreditNotePage(page, invoiceviews.CreditNote{
			Mails:  invoiceviews.InvoiceMails{Rows: []invoiceviews.MailRow{{Href: "/outbox/1", To: hostile, State: hostile}}},
			Number: "CN-2026-0001", Buyer: invoiceviews.Party{Name: hostile}, InvoiceNumber: hostile, InvoiceHref: "/invoices/1",
			InvoiceDate: "21 Nov 2026", Total: "2.00", BecameCredit: "1.00", ReceiptHref: "/receipts/1",
			EInvoiceHref: "/credit-notes/1/ubl", ReverseHref: "/credit-notes/1/reversals/new",
			Lines: []invoiceviews.InvoiceLine{{Description: hostile}}, Taxes: []invoiceviews.TaxLine{{Label: "Tax 23%"}},
		}),
		"credit note in use": invoiceviews.CreditNotePage(page, invoiceviews.CreditNote{Number: "CN-2026-0001", Kept: hostile}),
		"customer": templates.RecordPageWith(withHistory, archived, []templ.Component{
			invoiceviews.CustomerInvoicesSection(invoiceviews.CustomerInvoices{
				Rows: []invoiceviews.InvoiceRow{row}, Pager: templates.Pager{NextHref: "?cursor=x"}, Balance: sums,
				Href: "/invoices?customer_id=1", StatementHref: "/customers/1/statement",
			}),
		}),
		"payment form": invoiceviews.PaymentForm(page, invoiceviews.PaymentFormView{
			Form:   templates.Form{Title: "Record a payment", Key: "k", Typed: url.Values{"amount": {hostile}, "method": {"barter"}}},
			Number: hostile, Href: "/invoices/1", Currency: "EUR", Open: "1,234.50", SeenOpen: "1234.50",
			Methods: []templates.Option{{Value: "card", Text: "Card"}},
		}),
		"attachment form": invoiceviews.AttachmentForm(page, invoiceviews.AttachmentFormView{
			Form: templates.Form{
				Title: "Attach a file", Submit: "Attach file", HasFiles: true, Typed: url.Values{"file": {"order.exe"}},
				Errors: templates.FieldErrors{{Control: "file", Message: "order.exe is of another type. Choose a PDF file."}},
			},
			Number: "2026-0001", Href: "/invoices/1", Takes: "PDF, at most 5 MiB.", Accept: "application/pdf,.pdf",
		}),
		"mail form": invoiceviews.MailForm(page, invoiceviews.MailFormView{
			Form:   templates.Form{Title: "Send this invoice by email", Key: "k", Typed: url.Values{"recipient": {hostile}}},
			Number: hostile, Href: "/invoices/1", CopiesTo: hostile,
		}),
		"mail form, again": invoiceviews.MailForm(page, invoiceviews.MailFormView{
			Form: templates.Form{
				Title: "Send this email again", Key: "k", Typed: url.Values{"failed_id": {"1"}, "introduction": {hostile}},
			},
			Again: true, Number: hostile, Href: "/invoices/1",
		}),
		"mail form of a credit note": invoiceviews.MailForm(page, invoiceviews.MailFormView{
			Form: templates.Form{Title: "Send this credit note by email", Key: "k", Typed: url.Values{"credit_note_id": {"1"}}},
			Note: true, Number: hostile, Href: "/invoices/1",
		}),
		"reminder form": invoiceviews.ReminderForm(page, invoiceviews.ReminderFormView{
			Form:        templates.Form{Title: "Second reminder", Key: "k", Typed: url.Values{"level": {"2"}, "message": {hostile}}},
			InvoiceStep: invoiceviews.InvoiceStep{Number: hostile, Href: "/invoices/1", Customer: hostile, Total: "1.00 EUR", Due: "today"},
			Open:        "1.00 EUR", Late: "12 days", Last: "Payment reminder, 12 Nov 2026", NoAddress: true,
		}),
		"reminder batch form": invoiceviews.ReminderBatchForm(page, invoiceviews.ReminderBatch{
			Form:   templates.Form{Title: "Send reminders", Key: "k", Typed: url.Values{"reminders": {hostile}}},
			Chosen: []invoiceviews.ChosenRow{{Number: hostile, Href: "/invoices/1", Customer: hostile, Gets: "Payment reminder"}},
			Left:   []invoiceviews.ChosenRow{{Number: hostile, Href: "/invoices/2", Customer: hostile, Gets: hostile}},
		}),
		"reminder batch form with all left out": invoiceviews.ReminderBatchForm(page, invoiceviews.ReminderBatch{
			Left: []invoiceviews.ChosenRow{{Number: hostile, Href: "/invoices/2"}},
		}),
		"reminder batch form refused": invoiceviews.ReminderBatchForm(page, invoiceviews.ReminderBatch{
			Form: templates.Form{
				Title: "Send reminders", Key: "k", Errors: templates.FieldErrors{{Control: "reminders", Message: hostile}},
			},
		}),
		"batch form": invoiceviews.BatchFormPage(page, invoiceviews.BatchForm{
			Form: templates.Form{Title: "Issue invoices", Key: "k"}, Issues: true, EmailCustomer: "customer", EmailNone: "none",
			Sums: "1 invoice, 1.00 EUR", PastDue: hostile,
			Chosen: []invoiceviews.ChosenRow{{Number: hostile, Href: "/invoices/1", Customer: hostile, Gets: hostile}},
			Left:   []invoiceviews.ChosenRow{{Number: hostile, Href: "/invoices/2", Customer: hostile, Gets: hostile}},
		}),
		"batch form that sends": invoiceviews.BatchFormPage(page, invoiceviews.BatchForm{
			Form:   templates.Form{Title: "Send invoices", Key: "k"},
			Chosen: []invoiceviews.ChosenRow{{Number: hostile, Href: "/invoices/1", Customer: hostile, Gets: hostile}},
		}),
		"batch form without a choice": invoiceviews.BatchFormPage(page, invoiceviews.BatchForm{
			Form: templates.Form{Title: "Send invoices", Key: "k", Errors: templates.FieldErrors{{Control: "invoices", Message: hostile}}},
		}),
		"batch form with all left out": invoiceviews.BatchFormPage(page, invoiceviews.BatchForm{
			Form: templates.Form{Title: "Send invoices", Key: "k"}, Left: []invoiceviews.ChosenRow{{Number: hostile, Href: "/invoices/2"}},
		}),
		"batch": invoiceviews.BatchPage(page, invoiceviews.Batch{
			Unfinished: true, Invoices: []invoiceviews.BatchRow{{Number: hostile, Href: "/invoices/1", Outcome: hostile}},
		}),
		"batch finished": invoiceviews.BatchPage(page, invoiceviews.Batch{}),
		"email texts": invoiceviews.MailTextsPage(withHistory, invoiceviews.MailTexts{RecordView: archived, Parts: []invoiceviews.MailText{
			{Name: "Invoice", Subject: hostile, Text: hostile}, {Name: "Void invoice", Subject: "Void", Text: "Void", Standard: true},
		}}),
		"email texts form": invoiceviews.MailTextsFormPage(page, invoiceviews.MailTextsForm{
			Form:  templates.Form{Title: "Edit email texts", Key: "k", Typed: url.Values{"invoice_subject": {hostile}}},
			Parts: []invoiceviews.MailText{{Field: "void", Name: "Void", Subject: "{number}", Text: "Void", Placeholders: "{number}"}},
		}),
		"mail":        invoiceviews.MailPage(withHistory, invoiceviews.Mail{RecordView: archived, Text: hostile}),
		"mail unsent": invoiceviews.MailPage(page, invoiceviews.Mail{}),
		"fresh schedule form": invoiceviews.ScheduleFormPage(page, invoiceviews.ScheduleForm{InvoiceForm: invoiceviews.InvoiceForm{
			Form: templates.Form{Title: "New schedule", Key: "k"}, Lines: []invoiceviews.InvoiceFormLine{{}},
		}}),
		"schedule form": invoiceviews.ScheduleFormPage(page, invoiceviews.ScheduleForm{
			InvoiceForm: typedForm(), Choices: map[string][]templates.Option{"unit": {{Value: "month", Text: "months"}}},
		}),
		"schedule": templates.RecordPageWith(withHistory, archived, []templ.Component{invoiceviews.ScheduleSection(invoiceviews.Schedule{
			Failed: "1 Dec 2026 could not be billed.", Failure: hostile, Lines: []invoiceviews.InvoiceLine{{Description: hostile}},
			Periods: []invoiceviews.SchedulePeriod{{Day: "1 Nov 2026", Number: hostile, Href: "/invoices/1", Status: "draft"}},
			Pager:   templates.Pager{NextHref: "?cursor=x"},
		})}),
		"schedule that was not billed": templates.RecordPageWith(page, archived, []templ.Component{
			invoiceviews.ScheduleSection(invoiceviews.Schedule{}),
		}),
		"period form": invoiceviews.PeriodForm(page, invoiceviews.PeriodFormView{
			Form: templates.Form{Title: "Bill a period", Key: "k", Typed: url.Values{"period": {hostile}}},
			Name: hostile, Href: "/schedules/1",
		}),
		"fresh invoice form": invoiceviews.InvoiceFormPage(page, invoiceviews.InvoiceForm{
			Form: templates.Form{Title: "New invoice", Key: "k"}, Lines: []invoiceviews.InvoiceFormLine{{}},
			DueDate: "2026-12-21", DueByTerms: "2026-12-21", Terms: "30",
		}),
	}
	for name, form := range returnedForms() {
		all["invoice form, "+name] = invoiceviews.InvoiceFormPage(page, form)
	}
	return all
}

// typedForm returns an invoice form with input in each field, partly wrong.
func typedForm() invoiceviews.InvoiceForm {
	return invoiceviews.InvoiceForm{
		Form: templates.Form{
			Title: "New invoice", Submit: "Create invoice",
			Key: "4f2c1d7a-0b1e-4f0e-9a57-c53f6f6f0a11", Action: "/invoices", Href: "/invoices/new", LinesHref: "/invoices/form",
			Owner: templates.Owner{ID: "0a3e0000-0000-4000-8000-00000000ac3e", Name: hostile}, AllowRepeat: "allow_repeat",
			Typed: url.Values{"customer_email": {"ada@"}, "customer_name": {hostile}, "exemption_reason": {"Article 132"}},
		},
		Customers:  []templates.Option{{Value: "c1", Text: "Ada Byron"}},
		CustomerID: "gone",
		Number:     " 2026-0042 ",
		IssueDate:  "2026-11-21", DueDate: "21/12/2026", SuppliedFrom: "November", SuppliedTo: "2026-11-30",
		Currencies: []invoiceviews.Currency{{Code: "EUR", Digits: 2}, {Code: "JPY"}, {Code: "EURO", Digits: 2}},
		Currency:   "EURO", Notes: "\n  first line\nsecond, " + hostile,
		Lines: []invoiceviews.InvoiceFormLine{
			{Description: "Design", Quantity: "two", UnitPrice: "50,00", TaxRate: "23"},
			{},
			{Description: hostile, Quantity: "1", UnitPrice: "0.5", TaxRate: "6"},
		},
	}
}

// returnedForms returns the invoice form with each notice, and with errors.
func returnedForms() map[string]invoiceviews.InvoiceForm {
	record := templates.Record{Name: "2026-0042", Href: "/invoices/1"}
	again := templates.Submit{Text: "Create as a new invoice", Name: "fresh_key", Value: "fresh"}
	notices := map[string]*templates.Notice{
		"conflict": templates.Conflict("Invoice number 2026-0042 already exists.", "We kept the original.", record,
			[]templates.Submit{{Text: "Use the next number, 2026-0043", Name: "next_number", Value: "1"}}),
		"form spent":   templates.FormSpent("created", record, again),
		"no key":       templates.NoKey("fresh"),
		"stale":        templates.Stale(record, []templates.VersionRow{{Label: "Notes", Changed: templates.BothChanged, Keep: "notes"}}),
		"other tenant": templates.OtherTenant(templates.Owner{ID: "a", Name: hostile}, templates.Owner{ID: "b", Name: hostile}, true),
		"unconfirmed":  templates.Unconfirmed(),
		"still saving": templates.StillSaving(),
		"busy":         templates.Busy(),
	}
	forms := map[string]invoiceviews.InvoiceForm{}
	for name, notice := range notices {
		form := typedForm()
		form.Notice = notice
		forms[name] = form
	}
	invalid := typedForm()
	for _, control := range []string{
		"customer_id", "customer_email", "customer_name", "number", "currency", "issue_date", "due_date", "notes",
		invoiceviews.LineControl("line_description", 1), invoiceviews.LineControl("line_quantity", 0),
		invoiceviews.LineControl("line_unit_price", 0), invoiceviews.LineControl("line_tax_rate", 2),
	} {
		invalid.Errors = append(invalid.Errors, templates.FieldError{Control: control, Message: "Mend " + control})
	}
	forms["invalid"] = invalid
	return forms
}
