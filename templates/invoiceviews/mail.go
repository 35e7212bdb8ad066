package invoiceviews

import "onlyonce/templates"

// MailFormView is the form that sends an invoice by email again.
type MailFormView struct {
	templates.Form

	Number string // the invoice's number
	Href   string // the invoice's page
	// NoAddress is set if the customer has no email.
	NoAddress bool
	CopiesTo  string // the addresses that get copies of emails to the customer; "" for none
	// CanEInvoice is set if no data is missing for an e-invoice.
	CanEInvoice bool
	// Again is set if a failed email is sent again, and Note if a credit note is sent.
	Again, Note bool
}

// textHint returns the hint about the text.
func (v MailFormView) textHint() string {
	switch {
	case v.Again:
		return "Leave blank for the text of the failed email."
	case v.Note:
		return "It begins with the greeting. The reason and the open amount follow. Leave blank for the usual text."
	}
	return "It begins with the greeting. The lines and amounts of the invoice follow. Leave blank for the usual text."
}

// recipientHint returns the hint about the recipient. An email to another address than the customer's has no copies.
func recipientHint(noAddress bool, copiesTo string) string {
	hint := "Leave blank to use the customer's address on the invoice."
	switch {
	case noAddress:
		return "The customer has no email address."
	case copiesTo != "":
		return hint + " Copies to: " + copiesTo + ", unless you enter another address."
	default:
		return hint
	}
}

// Mail is an email on its page.
type Mail struct {
	templates.RecordView

	Text string // the text that was sent; "" until then
}

// InvoiceMails are the last emails about an invoice or a credit note, on its page.
type InvoiceMails struct {
	Rows []MailRow // newest first
	// Send queues another one to the customer; empty while the last one waits, and if the customer has no email. OtherHref is the form
	// for another recipient; empty if it can't be sent, and right after it was sent.
	Send      templates.Action
	OtherHref string
	// NoAddress is set if it could be sent, but the customer has no email.
	NoAddress bool
}

// MailRow is an email on the page of its invoice.
type MailRow struct {
	Href   string
	What   string // "Email", or the level of a reminder
	To     string
	State  string // its status, in words
	Failed bool
	// AgainHref is the form that sends a failed email again; "" unless that is possible.
	AgainHref string
}
