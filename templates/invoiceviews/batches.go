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

	Sums    string // of the chosen invoices: "3 invoices, 250.00 EUR and 90.00 USD"
	PastDue string // a sentence about chosen drafts whose due date has passed; "" for none
	Chosen  []ChosenRow
	Left    []ChosenRow // invoices that can't be issued or sent
}

// ChosenRow is an invoice in a form for several invoices.
type ChosenRow struct {
	Number, Href, Customer string
	Amount                 string // with its currency
	Gets                   string // what happens to it, or the reason why nothing does
	Warnings               []Warning
}

// Batch is the page of a batch.
type Batch struct {
	templates.RecordView

	Unfinished bool
	Invoices   []BatchRow
}

// BatchRow is an invoice of a batch. Outcome has the reason of a refusal.
type BatchRow struct{ Number, Href, Outcome string }
