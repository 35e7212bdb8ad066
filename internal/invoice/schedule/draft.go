package schedule

import (
	"cmp"
	"errors"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"onlyonce/internal/invalid"
	"onlyonce/internal/invoice"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/money"
	"onlyonce/internal/value/typed"
)

// Input is the input as text.
type Input struct {
	CustomerID string              `json:"customer_id" format:"uuid"`
	Currency   string              `json:"currency" format:"currency"`
	Lines      []invoice.LineInput `json:"lines" doc:"At least one."`
	Notes      string              `json:"notes,omitzero"`
	Exemption  string              `json:"exemption_reason,omitzero" doc:"Why lines are exempt from tax. Required if one is."`
	Every      string              `json:"every" doc:"From 1 to 99, as text."`
	Unit       string              `json:"unit" enum:"week,month,year"`
	FirstDay   string              `json:"first_day" format:"date" doc:"The first day of the first period; the others are counted from it."`
	LastDay    string              `json:"last_day,omitzero" format:"date" doc:"If left out, it doesn't end."`
	BillAs     string              `json:"bill_as" enum:"draft,issued" doc:"Issued invoices are emailed."`
	Missed     string              `json:"missed" enum:"each,latest" doc:"Bill every missed period, or only the latest."`
}

// Draft is the command that creates or replaces a schedule.
type Draft struct {
	CustomerID uuid.UUID           `json:"customer_id"`
	Currency   money.Currency      `json:"currency"`
	Lines      []invoice.LineInput `json:"lines"`
	Notes      string              `json:"notes"`
	Exemption  string              `json:"exemption_reason,omitzero"`
	Rhythm

	LastDay date.Date `json:"last_day"` // zero for no end
	BillAs  string    `json:"bill_as"`
	Missed  string    `json:"missed"`
}

// Between returns the days from next to last that are billed: all, or only the latest.
func (d Draft) Between(next, last date.Date) (days []date.Date) {
	if d.LastDay != (date.Date{}) && d.LastDay.Before(last) {
		last = d.LastDay
	}
	n := d.upTo(last)
	for i := range n + 1 {
		if day := d.Day(i); (d.Missed == Each || i == n) && !day.Before(next) {
			days = append(days, day)
		}
	}
	return days
}

// maxEvery is the maximum number of units between two periods.
const maxEvery = 99

// Draft checks the input. It returns an [*invalid.Error] with all mistakes.
func (in Input) Draft() (Draft, error) {
	var problems invalid.Error
	d := Draft{BillAs: in.BillAs, Missed: in.Missed}
	d.Unit = in.Unit
	in.rhythm(&d, &problems)
	if in.BillAs != AsDraft && in.BillAs != AsIssued {
		problems.Add("/bill_as", "Choose whether invoices are drafts or issued.")
	}
	if in.Missed != Each && in.Missed != Latest {
		problems.Add("/missed", "Choose what to do about missed periods.")
	}
	in.billed(&d, &problems)
	return d, problems.Err()
}

func (in Input) rhythm(d *Draft, problems *invalid.Error) {
	var err error
	if d.Every, err = strconv.Atoi(strings.TrimSpace(in.Every)); err != nil || d.Every < 1 || d.Every > maxEvery {
		problems.Add("/every", "Enter a whole number from 1 to 99.")
	}
	if d.Unit != Week && d.Unit != Month && d.Unit != Year {
		problems.Add("/unit", "Choose weeks, months or years.")
	}
	if d.FirstDay, err = date.ParseEntry(in.FirstDay); err != nil {
		problems.Add("/first_day", "Enter the first day as year-month-day from 2000 to 2099, like 2026-12-01.")
	}
	if in.LastDay == "" {
		return
	}
	if d.LastDay, err = date.ParseEntry(in.LastDay); err != nil {
		problems.Add("/last_day", "Enter the last day as year-month-day from 2000 to 2099, or leave it blank for no end.")
	} else if d.LastDay.Before(d.FirstDay) {
		problems.Add("/last_day", "The last day must not be before the first day.")
	}
}

// billed checks the fields that an invoice also has, except for its dates.
func (in Input) billed(d *Draft, problems *invalid.Error) {
	const anyDay = "2000-01-01"
	billed, err := invoice.Input{
		CustomerID: cmp.Or(in.CustomerID, "nobody"), IssueDate: anyDay, Currency: in.Currency, Lines: in.Lines, Notes: in.Notes,
		Exemption: in.Exemption,
	}.Draft()
	if wrong, ok := errors.AsType[*invalid.Error](err); ok {
		problems.Fields = append(problems.Fields, wrong.Fields...)
	}
	d.CustomerID, d.Currency, d.Notes, d.Exemption = billed.CustomerID, billed.Currency, billed.Notes, billed.Exemption
	if d.Currency != (money.Currency{}) {
		typed.Currency(problems, "/currency", in.Currency, d.FirstDay)
	}
	for _, l := range billed.Lines {
		d.Lines = append(d.Lines, invoice.LineInput{
			Description: l.Description, Quantity: l.Quantity.String(), Unit: string(l.Unit),
			UnitPrice: billed.Currency.FormatPrice(l.UnitPrice), Discount: l.DiscountText(billed.Currency),
			TaxRate: l.TaxRate.String(), Treatment: string(l.NoTax),
		})
	}
}
