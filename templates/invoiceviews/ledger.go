package invoiceviews

import "onlyonce/templates"

// Ledger is a page of the payments, refunds and credit notes of an invoice, the latest record first.
type Ledger struct {
	templates.Pager

	Rows []LedgerRow
}

// LedgerRow is a payment, its removal, a refund or a credit note, on the page of its invoice.
type LedgerRow struct {
	Date   string
	Kind   string // "Payment", "Payment removed", "Refund", "Credit note"
	Amount string // with its currency; "−" before a refund or a removal
	// Details are the method, the provider and the reference.
	Details string
	// Number and Href are the number and page of a credit note.
	Number string
	Href   string
	// RefundHref refunds a payment; empty if it is not refundable. Left is the refundable amount, with its currency.
	RefundHref string
	Left       string
	// RemoveHref is the page that removes a payment; empty if that is not possible. Removed is set after that.
	RemoveHref string
	Removed    bool
}
