package invoiceviews

import "onlyonce/templates"

// Ledger is a page of what was paid, refunded and credited of an invoice, what was recorded last first.
type Ledger struct {
	templates.Pager

	Rows []LedgerRow
}

// LedgerRow is what was paid, refunded or credited, on the page of its invoice.
type LedgerRow struct {
	Date   string
	Kind   string // "Payment", "Payment removed", "Refund", "Credit note"
	Amount string // with its currency; "−" before what was given back or taken back
	// Details say how it was paid, and who knows it by which reference.
	Details string
	// Number and Href are those of a credit note.
	Number string
	Href   string
	// RefundHref refunds a payment; empty if nothing is left of it. Left is how much can be refunded, with its currency.
	RefundHref string
	Left       string
	// RemoveHref asks before a payment is removed; empty if it cannot be. Removed is set once it is.
	RemoveHref string
	Removed    bool
}
