package invoiceviews

import "onlyonce/templates"

// ScheduleForm is the form of a schedule. Of the form of an invoice it has no number, no date and no new customer.
type ScheduleForm struct {
	InvoiceForm

	// Choices are what there is to choose from, by the names of the fields.
	Choices map[string][]templates.Option
}

// Schedule is what the page of a schedule shows besides its facts.
type Schedule struct {
	// Failed is the period that could not be billed, and Failure why; "" if that was not so.
	Failed, Failure string
	Lines           []InvoiceLine
	Periods         []SchedulePeriod // newest first
	Pager           templates.Pager
}

// SchedulePeriod is a period that was billed.
type SchedulePeriod struct {
	Day    string
	Number string // of its invoice
	Href   string // of its invoice
	Status string // as in [InvoiceRow]
}

// PeriodFormView is the form that bills a period by hand.
type PeriodFormView struct {
	templates.Form

	Name string // of the schedule
	Href string // of the schedule
}
