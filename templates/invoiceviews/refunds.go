package invoiceviews

import "onlyonce/templates"

// RefundFormView is the form that records a refund of a payment.
type RefundFormView struct {
	templates.Form

	Payment  string // the name of the payment: "50.00 EUR on 21 Nov 2026"
	Href     string // the invoice's page
	Number   string // the invoice's number
	Currency string // ISO 4217 code
	Left     string // the refundable amount, "1,234.50"
	SeenLeft string // the same, as a field of the form
	Reopens  bool   // nothing is open on the invoice now
}
