package invoiceviews

import "onlyonce/templates"

// CreditNote is a credit note on its page. Amounts have the format of [Invoice].
type CreditNote struct {
	Number        string
	Seller        Party // the business that credits
	Buyer         Party // the customer
	InvoiceNumber string
	InvoiceDate   string
	InvoiceHref   string
	Date          string
	Currency      string // ISO 4217 code
	Lines         []InvoiceLine
	Mails         InvoiceMails
	Subtotal      string
	Taxes         []TaxLine
	Total         string
	BecameCredit  string // the part of the total that became credit; "" for nothing
	ReceiptHref   string // the page of that credit; "" for a reversal
	Reason        string // "" for none
	Footer        string // of the business
	PDFHref       string // the credit note as a file
	EInvoiceHref  string // the credit note as XML
	Reverses      string // the number of the credit note that it reverses; "" for none
	ReversedBy    string // the number of its reversal; "" for none
	OtherHref     string // the page of either
	ReverseHref   string // the form that reverses it; "" if it can't be reversed
	Kept          string // what has to be taken back first; "" for nothing
}

func (v CreditNote) title() string {
	if v.Reverses != "" {
		return "Credit note reversal " + v.Number
	}
	return "Credit note " + v.Number
}

// ReverseFormView is the form that reverses a credit note.
type ReverseFormView struct {
	templates.Form

	Number       string // the credit note's number
	Href         string // the credit note's page
	Amount       string // "1,234.50 EUR"
	Invoice      string // the invoice's number
	InvoiceHref  string // the invoice's page
	BecameCredit string // in the format of Amount; "" for nothing
	To           string // the customer's email; "" for none
}

// CreditNoteFormView is the form that creates a credit note of an invoice.
type CreditNoteFormView struct {
	templates.Form

	Number   string // the invoice's number
	Href     string // the invoice's page
	Currency string // ISO 4217 code
	Open     string // the open amount, "1,234.50"
	SeenOpen string // the same, as a field of the form
	Paid     string // the paid amount; "" if nothing more of it can become credit
	Became   string // the part of it that became credit before; "" for nothing
	Most     string // the open and paid amounts, if some was written off, or else ""
	To       string // the customer's email; "" for none
	// The totals of everything that was not credited yet.
	Subtotal, Tax, Total string
	Preview              CreditPreview
	Lines                []CreditLine
}

// The values of [templates.RedisplayField] that show the form with a preview, with all that is left and its preview, or without
// quantities.
const (
	PreviewCredit = "preview"
	CreditAll     = "all"
	CreditNone    = "none"
)

// CreditPreview has the amounts of the credit note that the form would create; zero without a preview.
type CreditPreview struct {
	Net, Tax, Total, BecomesCredit string
	Impossible                     bool // the quantities are wrong, or more than can be credited
}

// CreditLine is a line of the invoice that can be credited.
type CreditLine struct {
	Description string
	Quantity    string
	UnitPrice   string
	Amount      string // net
	Left        string // the quantity that was not credited yet
	LeftAmount  string // net
}

// quantity returns the control for the credited quantity of the line at index (from 0).
func (v CreditNoteFormView) quantity(index int) templates.Input {
	in := v.Input(templates.Input{ID: LineControl("line_quantity", index), Label: "Quantity", Mode: "decimal", Focus: index == 0})
	in.Name, in.Value = "line_quantity", ""
	if typed := v.Typed["line_quantity"]; index < len(typed) {
		in.Value = typed[index]
	}
	return in
}
