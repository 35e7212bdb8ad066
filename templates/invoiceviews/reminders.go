package invoiceviews

import "onlyonce/templates"

// ReminderFormView is the form that sends a reminder of an overdue invoice.
type ReminderFormView struct {
	templates.Form
	InvoiceStep

	Open string // the open amount, with its currency
	Late string // the time since the invoice was due, "12 days"
	Last string // the last reminder and its day; "" for none
	// NoAddress is set if the customer has no email.
	NoAddress bool
	CopiesTo  string // the addresses that get copies of emails to the customer; "" for none
}

// The names of fields.
const (
	LevelField     = "level"      // of a reminder
	ChosenField    = "invoice_id" // an invoice that is chosen in the list
	RemindersField = "reminders"  // the chosen invoices with their levels
)

// ReminderBatch is the form that sends reminders of several invoices.
type ReminderBatch struct {
	templates.Form

	Chosen []ChosenRow
	Left   []ChosenRow // invoices without a reminder
}
