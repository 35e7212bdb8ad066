package invoiceviews

import "onlyonce/templates"

// WriteOffFormView is the form that writes off what is open on an invoice.
type WriteOffFormView struct {
	templates.Form

	Number   string // the invoice's number
	Href     string // the invoice's page
	Currency string // ISO 4217 code
	Open     string // the open amount, "1,234.50"
	SeenOpen string // the same, as a field of the form
	Reasons  []templates.Option
}

// TakeBack is the page that asks before a write-off is taken back.
type TakeBack struct {
	templates.Form

	Number, Href string // the invoice's number and page
	Amount, Date string
	Today        string
	Reversed     bool // it was already taken back
}
