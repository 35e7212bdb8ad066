package invoiceviews

import (
	"strings"

	"onlyonce/templates"
)

// Ledger is a page of the payments, refunds, credit notes and write-offs of an invoice, the latest record first.
type Ledger struct {
	templates.Pager

	Rows []LedgerRow
}

// LedgerRow is an entry in the ledger of an invoice.
type LedgerRow struct {
	Date string
	// Kind is "Payment", "Payment removed", "Refund", "Refund removed", "Credit note", "Became credit", "Write-off" or
	// "Write-off taken back".
	Kind   string
	Amount string // with its currency; "−" before a refund, the removal of a payment, a reversal or what became credit
	// Details are the method, the provider and the reference of a payment, the reference of a refund, or the reason and the note of a
	// write-off.
	Details string
	// Number and Href are the number and page of a credit note. A payment from its credit has the number only.
	Number string
	Href   string
	// ReceiptHref is the page of the receipt that a payment is a part of, or that has what became credit; empty without one.
	ReceiptHref string
	// RefundHref refunds a payment; empty if it is not refundable. Left is the refundable amount, with its currency.
	RefundHref string
	Left       string
	// RemoveHref is the page that removes a payment or a refund, and TakeBackHref takes back a write-off; empty if that is not possible.
	// Removed is set after that, and Closed if the day of a payment or a refund is closed.
	RemoveHref   string
	TakeBackHref string
	Removed      bool
	Closed       bool
}

// removing returns the name of the row for the link that removes it.
func (r LedgerRow) removing() string {
	return strings.ToLower(r.Kind) + " of " + strings.TrimPrefix(r.Amount, "−")
}

// receiptText returns the text of the link to the receipt, before the number.
func (r LedgerRow) receiptText() string {
	switch {
	case r.Kind == "Became credit":
		return "the customer's credit"
	case r.Number != "":
		return "credit from "
	default:
		return "part of a receipt"
	}
}

// removed returns what was done with a row that counts no more.
func (r LedgerRow) removed() string {
	if r.Kind == "Write-off" {
		return "taken back"
	}
	return "removed"
}
