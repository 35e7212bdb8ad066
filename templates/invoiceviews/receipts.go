package invoiceviews

import "onlyonce/templates"

// ReceiptFormView is the form that records a receipt.
type ReceiptFormView struct {
	templates.Form

	Customers  templates.Choices
	Currencies []templates.Option
	Methods    []templates.Option
	Invoices   []ReceiptInvoice
	Customer   bool // a customer and a currency are chosen
	More       int  // the invoices that are shown, if there are more; else 0
}

// ReceiptInvoice is an invoice that a receipt may pay.
type ReceiptInvoice struct {
	ID     string
	Amount templates.Input
}

// The names of the fields of a row of the form, and the value of [templates.RedisplayField] that fills in the amounts.
const (
	PartInvoiceField = "allocation_invoice_id"
	PartAmountField  = "allocation_amount"
	FillParts        = "fill"
)

// ReceiptUses has what a receipt is used for.
type ReceiptUses struct {
	templates.Pager

	Payments   []ReceiptPayment
	Repayments []ReceiptRepayment
	More       bool   // there are earlier repayments
	RepayHref  string // the form that records one; "" if nothing is left
}

// ReceiptPayment is the payment of an invoice from a receipt.
type ReceiptPayment struct {
	Date, Amount string
	Number, Href string // of the invoice
	RemoveHref   string // the page that removes it; "" if that is not possible
	Removed      bool
	Kept         string // why it can't be removed; "" if it can, or was removed or refunded
}

// ReceiptRepayment is credit of a receipt that was paid back.
type ReceiptRepayment struct {
	Name       string // "50.00 EUR on 21 Nov 2026"
	Reference  string // "" for none
	RemoveHref string // the page that removes it; "" if that is not possible
	Removed    bool
	Closed     bool // its day is closed
}
