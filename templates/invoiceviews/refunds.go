package invoiceviews

import "onlyonce/templates"

// RefundFormView is the form that records a refund of a payment.
type RefundFormView struct {
	templates.Form

	Payment  string // what people call it: "50.00 EUR on 21 Nov 2026"
	Href     string // of the invoice
	Number   string // of the invoice
	Currency string // ISO 4217 code
	Left     string // what is left of the payment, "1,234.50"
	SeenLeft string // the same, as the form sends it back
}
