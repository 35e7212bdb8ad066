package invoiceviews

import "onlyonce/templates"

// CreditNote is one credit note as its page shows it. Amounts are as in [Invoice].
type CreditNote struct {
	Number        string
	Seller        Party // the business that credits
	Buyer         Party // the customer
	InvoiceNumber string
	InvoiceHref   string
	Date          string
	Currency      string // ISO 4217 code
	Lines         []InvoiceLine
	Subtotal      string
	Taxes         []TaxLine
	Total         string
	PDFHref       string // the credit note as a file
}

// CreditNoteFormView is the form that creates a credit note of an invoice.
type CreditNoteFormView struct {
	templates.Form

	Number   string // of the invoice
	Href     string // of the invoice
	Currency string // ISO 4217 code
	Open     string // what is open, "1,234.50"
	SeenOpen string // the same, as the form sends it back
	// What all that is left comes to, and whether that is beyond what is open.
	Subtotal, Tax, Total string
	Beyond               bool
	Lines                []CreditLine
}

// CreditLine is a line of the invoice, to be credited.
type CreditLine struct {
	Description string
	UnitPrice   string
	Left        string // the quantity that was not credited yet
}

// quantity is the control with how much of the line at index (from 0) is credited.
func (v CreditNoteFormView) quantity(index int) templates.Input {
	in := v.Input(templates.Input{ID: LineControl("line_quantity", index), Label: "Quantity", Mode: "decimal", Focus: index == 0})
	in.Name, in.Value = "line_quantity", ""
	if typed := v.Typed["line_quantity"]; index < len(typed) {
		in.Value = typed[index]
	}
	return in
}
