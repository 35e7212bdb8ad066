package invoiceviews

import "onlyonce/templates"

// ScheduleForm is the form of a schedule. It uses the form of an invoice without number, date and new customer.
type ScheduleForm struct {
	InvoiceForm

	// Choices are the options of the fields, by their names.
	Choices map[string][]templates.Option
}

// Schedule is the part of a schedule's page below the facts.
type Schedule struct {
	// Failed is a sentence about the period that could not be billed, and Failure the reason; "" if there is none.
	Failed, Failure string
	Lines           []InvoiceLine
	Periods         []SchedulePeriod // newest first
	Pager           templates.Pager
}

// SchedulePeriod is a period that was billed.
type SchedulePeriod struct {
	Day    string
	Number string // the number of its invoice
	Href   string // the page of its invoice
	Status string // as in [InvoiceRow]
}

// PeriodFormView is the form that bills a period by hand.
type PeriodFormView struct {
	templates.Form

	Name string // the schedule's name
	Href string // the schedule's page
}
