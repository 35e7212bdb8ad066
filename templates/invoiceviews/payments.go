package invoiceviews

import "onlyonce/templates"

// PaymentFormView is the form that records a payment of an invoice.
type PaymentFormView struct {
	templates.Form

	Number   string // the invoice's number
	Href     string // the invoice's page
	Currency string // ISO 4217 code
	Open     string // the open amount, "1,234.50"
	SeenOpen string // the same, as a field of the form
	Methods  []templates.Option
	// ReceiptHref is the form that records more than what is open, as a receipt; "" unless that was typed.
	ReceiptHref string
}
