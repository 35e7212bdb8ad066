// Package schedule bills customers regularly: exactly once for each period of a schedule, regardless of the number and origin of
// attempts.
package schedule

import (
	"strconv"
	"time"

	"onlyonce/internal/customer"
	"onlyonce/internal/invoice"
	"onlyonce/internal/record"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/money"
)

// Schedule is a stored schedule with its progress.
type Schedule struct {
	record.Header
	record.Alike

	Customer  record.Reference    `json:"customer"`
	Currency  money.Currency      `json:"currency"`
	Lines     []invoice.LineInput `json:"lines"`
	Notes     string              `json:"notes"`
	Exemption string              `json:"exemption_reason,omitzero"` // "" if no line is exempt
	Rhythm

	LastDay    date.Date `json:"last_day,omitzero"` // the last possible day; zero for no end
	BillAs     string    `json:"bill_as" enum:"draft,issued"`
	Missed     string    `json:"missed" enum:"each,latest"`
	PausedAt   time.Time `json:"paused_at,omitzero"`   // UTC; zero if it is not
	ArchivedAt time.Time `json:"archived_at,omitzero"` // UTC; zero if it is not

	// NextDay is the first period that was neither billed nor skipped, even if the schedule is paused or over.
	NextDay date.Date `json:"next_day"`
	// Failure is the reason why the last attempt to bill that period failed, or "".
	Failure string `json:"failure"`
}

// The values of BillAs: the status of the invoices.
const (
	AsDraft  = "draft"
	AsIssued = "issued" // and mailed
)

// The values of Missed: which missed periods are billed.
const (
	Each   = "each"
	Latest = "latest"
)

// Table is the table of schedules.
var Table = record.Table[Schedule]{Name: "schedules", Fields: `
	'customer', ` + customer.Names.JSON("customer_id") + `, 'currency', r.currency, 'lines', r.lines, 'notes', r.notes,
	'exemption_reason', r.exemption_reason,
	'every', r.every, 'unit', r.unit, 'first_day', r.first_day, 'last_day', r.last_day, 'bill_as', r.bill_as, 'missed', r.missed,
	'paused_at', r.paused_at, 'archived_at', r.archived_at, 'next_day', (
		SELECT c.next_day FROM schedule_clocks c WHERE c.tenant_id = r.tenant_id AND c.schedule_id = r.id),
	'failure', (SELECT c.failure FROM schedule_clocks c WHERE c.tenant_id = r.tenant_id AND c.schedule_id = r.id)`}

// invoice returns the command that bills a period.
func (s Schedule) invoice(period date.Date) (invoice.Draft, error) {
	return invoice.Input{
		CustomerID: s.Customer.ID.String(), IssueDate: period.String(), Currency: s.Currency.String(), Lines: s.Lines, Notes: s.Notes,
		Exemption: s.Exemption,
	}.Draft()
}

// Over reports whether a period would be after the last day.
func (s Schedule) Over(period date.Date) bool {
	return s.LastDay != date.Date{} && s.LastDay.Before(period)
}

// Has reports whether a day is a period of the schedule.
func (s Schedule) Has(day date.Date) bool { return s.Rhythm.Has(day) && !s.Over(day) }

// Stopped reports whether the schedule is paused or archived.
func (s Schedule) Stopped() bool { return !s.PausedAt.IsZero() || !s.ArchivedAt.IsZero() }

// Due returns the next period if it is due on a day.
func (s Schedule) Due(today date.Date) (period date.Date, due bool) {
	period = s.NextDay
	if s.Stopped() || s.Over(period) || today.Before(period) {
		return date.Date{}, false
	}
	if s.Missed == Latest {
		if s.Over(today) {
			today = s.LastDay
		}
		period = s.Day(s.upTo(today))
	}
	return period, true
}

// Name returns the display name of a schedule: "Ada Lovelace, every 2 months".
func Name(s Schedule) string { return s.Customer.Name + ", " + s.Often() }

// Often returns the interval for a sentence: "every 2 months".
func (r Rhythm) Often() string {
	if r.Every == 1 {
		return "every " + r.Unit
	}
	return "every " + strconv.Itoa(r.Every) + " " + r.Unit + "s"
}
