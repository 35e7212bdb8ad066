package invoiceviews

import "onlyonce/templates"

// PaymentFormView is the form that records a payment of an invoice.
type PaymentFormView struct {
	templates.Form

	Number   string // of the invoice
	Href     string // of the invoice
	Currency string // ISO 4217 code
	Open     string // what is open, "1,234.50"
	SeenOpen string // the same, as the form sends it back
	Methods  []templates.Option
}
