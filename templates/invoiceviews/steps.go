package invoiceviews

import "onlyonce/templates"

// The names of the fields of the steps.
const (
	EmailField       = "email"          // of the buttons that issue an invoice
	DuplicateOfField = "duplicate_of"   // the invoice that is kept when one is voided
	EInvoiceField    = "e_invoice"      // "true" to attach the e-invoice to an email
	FailedField      = "failed_id"      // the failed email to send again
	NoteField        = "credit_note_id" // the credit note to send
	TellField        = "tell_customer"  // "true" for an email about it
	SeenOpenField    = "seen_open"      // the open amount that the page has shown
	SeenLeftField    = "seen_left"      // the refundable amount that the page has shown
)

// InvoiceStep is the invoice of a page that asks before a step.
type InvoiceStep struct {
	Number, Href, Customer, Total, Due string
}

// Issue is the page that asks before an invoice is issued.
type Issue struct {
	templates.Form
	InvoiceStep

	To       string // the customer's email
	CopiesTo string // the addresses that get copies of emails to the customer; "" for none
	// EmailCustomer and EmailNone are the values of EmailField.
	EmailCustomer, EmailNone string
	Warnings                 []Warning
	NoMailServer             bool
	CanEInvoice              bool // whether no data is missing for an e-invoice
}

// Warning is a sentence about a possible mistake in an invoice, and a link to its correction.
type Warning struct {
	Text string // a sentence
	Fix  templates.Link
	When string // the rest of the sentence that the link begins
}

// Void is the page that asks before an invoice is voided.
type Void struct {
	templates.Form
	InvoiceStep

	To          string // the email of a customer to whom the invoice was sent; "" for none
	DuplicateOf string // the number of the invoice that stays; "" for none
	// IssueDate and TakenOff are the days on which the tax summary adds and subtracts the invoice; "" for a draft.
	IssueDate, TakenOff string
}

// Remove is the page that asks before a payment, a refund, a receipt or a repayment is removed.
type Remove struct {
	templates.Form

	What         string   // "payment"
	Name, Href   string   // the invoice's number or the customer's name, and the page that shows the record
	Amount, Date string   // "40.00 EUR", "paid 22 Nov 2026"
	Effects      []string // sentences about what changes
	Today        string   // the day of the removal
	Reference    string   // the reference and its provider; "" for none
	Removed      bool     // it was already removed
}
