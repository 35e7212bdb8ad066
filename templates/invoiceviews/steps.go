package invoiceviews

import "onlyonce/templates"

// InvoiceStep is the invoice that a page asks about.
type InvoiceStep struct {
	Number, Href, Customer, Total, Due string
}

// Issue asks before an invoice is issued.
type Issue struct {
	templates.Form
	InvoiceStep

	To           string // the customer's email
	Warnings     []Warning
	NoMailServer bool
}

// Warning is something odd about an invoice, and where it is corrected.
type Warning struct {
	Text string // a sentence
	Fix  templates.Link
	When string // the rest of the sentence that the link begins
}

// Void asks before an invoice is voided.
type Void struct {
	templates.Form
	InvoiceStep

	To          string // the email of a customer to whom the invoice was sent; "" for none
	DuplicateOf string // the number of the invoice that stays; "" for none
}

// Remove asks before a payment is removed.
type Remove struct {
	templates.Form

	Number, Href string // of the invoice
	Amount, Date string
	Reference    string // with who gave it; "" for none
	Removed      bool   // already
}
