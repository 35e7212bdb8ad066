package invoiceviews

import "onlyonce/templates"

// MailFormView is the form that sends an invoice by email once more.
type MailFormView struct {
	templates.Form

	Number string // of the invoice
	Href   string // of the invoice
	// NoAddress is set if the customer has no email.
	NoAddress bool
}

func (v MailFormView) hint() string {
	if v.NoAddress {
		return "The customer has no email address."
	}
	return "Leave blank to use the customer's address on the invoice."
}

// Mail is one mail as its page shows it.
type Mail struct {
	templates.RecordView

	Text string // what was sent; "" until then
}

// InvoiceMails are the last mails about an invoice, on its page.
type InvoiceMails struct {
	Rows []MailRow // newest first
	// Send queues one more to the customer; empty while the last one waits, and if the customer has no email. OtherHref is where
	// another recipient can be entered; empty if the invoice cannot be sent, and just after it was.
	Send      templates.Action
	OtherHref string
	// NoAddress is set if the invoice cannot be sent to the customer, who has no email.
	NoAddress bool
}

// MailRow is one mail on the page of its invoice.
type MailRow struct {
	Href   string
	To     string
	State  string // what became of it, in words
	Failed bool
}
