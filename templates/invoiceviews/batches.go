package invoiceviews

import "onlyonce/templates"

// The names of the fields of a batch.
const (
	ActionField  = "action"   // "issue" or "send"
	BatchedField = "invoices" // the ids of the chosen invoices
)

// BatchForm is the page that asks before several invoices are issued or sent.
type BatchForm struct {
	templates.Form

	Issues bool // otherwise it sends
	// EmailCustomer and EmailNone are the values of EmailField.
	EmailCustomer, EmailNone string

	Chosen []ChosenRow
	Left   []ChosenRow // invoices that can't be issued or sent
}

// ChosenRow is an invoice in a form for several invoices.
type ChosenRow struct {
	Number, Href, Customer string
	Amount                 string // with its currency
	Gets                   string // what happens to it, or the reason why nothing does
}

// Batch is the page of a batch.
type Batch struct {
	templates.RecordView

	Unfinished bool
	Refused    []RefusedRow
}

// RefusedRow is an invoice of a batch that was not issued or sent.
type RefusedRow struct{ Number, Href, Reason string }
