package schedulepages

import (
	"strconv"
	"time"

	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/schedule"
	"onlyonce/internal/record"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/money"
)

// scheduleJSON is a schedule in the API.
type scheduleJSON struct {
	record.Header
	record.Alike

	Customer   record.Reference    `json:"customer"`
	Currency   money.Currency      `json:"currency"`
	Lines      []invoice.LineInput `json:"lines"`
	Notes      string              `json:"notes"`
	Exemption  string              `json:"exemption_reason,omitzero" doc:"Why lines are exempt from tax."`
	Every      string              `json:"every" format:"integer"`
	Unit       string              `json:"unit" enum:"week,month,year"`
	FirstDay   date.Date           `json:"first_day"`
	LastDay    date.Date           `json:"last_day,omitzero"`
	BillAs     string              `json:"bill_as" enum:"draft,issued"`
	Missed     string              `json:"missed" enum:"each,latest"`
	NextDay    date.Date           `json:"next_day" doc:"The first period that was neither billed nor skipped."`
	Failure    string              `json:"failure,omitzero" doc:"Why that period couldn't be billed, if an attempt failed."`
	PausedAt   time.Time           `json:"paused_at,omitzero"`
	ArchivedAt time.Time           `json:"archived_at,omitzero"`
}

func showSchedule(s schedule.Schedule) any {
	return scheduleJSON{
		Header: s.Header, Alike: s.Alike, Customer: s.Customer, Currency: s.Currency, Lines: s.Lines, Notes: s.Notes,
		Exemption: s.Exemption, Every: strconv.Itoa(s.Every), Unit: s.Unit, FirstDay: s.FirstDay, LastDay: s.LastDay,
		BillAs: s.BillAs, Missed: s.Missed, NextDay: s.NextDay, Failure: s.Failure, PausedAt: s.PausedAt, ArchivedAt: s.ArchivedAt,
	}
}
