package credit

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"onlyonce/internal/invalid"
	"onlyonce/internal/invoice"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/money"
)

// Input is the input as text.
type Input struct {
	// Lines are the lines and quantities to credit. Without them and an amount, everything that is left is credited.
	Lines  []LineInput `json:"lines,omitzero" doc:"Leave it out to credit all that is left, or an amount."`
	Amount string      `json:"amount,omitzero" format:"decimal" doc:"With tax. It is shared out over the tax rates and lines."`
	Reason string      `json:"reason,omitzero" doc:"Shown on the credit note."`
	Date   string      `json:"date,omitzero" format:"date" doc:"Default: today, or the date of the invoice if that is later."`
	Tell   bool        `json:"tell_customer,omitzero" doc:"Whether to send the credit note to the customer by email."`

	// SeenOpen is the open amount that a form showed, or "".
	SeenOpen string `json:"-"`
}

// LineInput is a line as text. A quantity of 0 credits nothing.
type LineInput struct {
	Position int    `json:"position" doc:"The number of the invoice's line, counted from 1."`
	Quantity string `json:"quantity" format:"number" doc:"It has the sign of the line's. 0 credits nothing."`
}

const maxReason = 500 // characters

// Draft is the command that creates a credit note.
type Draft struct {
	InvoiceID uuid.UUID      `json:"invoice_id"`
	Currency  money.Currency `json:"currency"`
	// All credits everything that is left. Lines is empty then.
	All   bool       `json:"all"`
	Lines []Quantity `json:"lines"`
	// Amount is the total of a credit note without lines, in minor units; 0 for none.
	Amount int64  `json:"amount,omitzero"`
	Reason string `json:"reason,omitzero"`
	// Tell sends it to the customer by email, if the customer has an address.
	Tell bool `json:"tell,omitzero"`
	// Date is the date of issue. Zero means today, or the date of the invoice if that is later.
	Date date.Date `json:"date,omitzero"`

	// SeenOpen is the open amount that the user saw, in minor units, or -1. It is not stored.
	SeenOpen int64 `json:"-"`
}

// Quantity is the quantity of a line to credit.
type Quantity struct {
	Position int             `json:"position"`
	Quantity decimal.Decimal `json:"quantity"`
}

// Draft checks the input for an invoice. It returns an [*invalid.Error] with all mistakes.
func (in Input) Draft(inv invoice.Invoice) (Draft, error) {
	var problems invalid.Error
	d := Draft{
		InvoiceID: inv.ID, Currency: inv.Currency, All: in.Lines == nil && in.Amount == "",
		SeenOpen: invoice.SeenAmount(in.SeenOpen, inv.Currency),
		Reason:   problems.Lines("/reason", "the reason", in.Reason, maxReason), Tell: in.Tell,
	}
	if in.Date != "" {
		d.Date = checkDate(in.Date, "the credit note", &problems)
	}
	if in.Amount != "" {
		d.Amount = invoice.CheckAmount(in.Amount, inv.Currency, &problems)
		if in.Lines != nil {
			problems.Add("/lines", "Enter quantities or an amount, not both.")
		}
		return d, problems.Err()
	}
	if len(in.Lines) > invoice.MaxLines {
		problems.Add("/lines", invoice.TooManyLines())
		return d, problems.Err()
	}
	for i, typed := range in.Lines {
		pointer := "/lines/" + strconv.Itoa(i)
		switch {
		case typed.Position < 1 || typed.Position > len(inv.Lines):
			problems.Add(pointer+"/position", fmt.Sprintf("The invoice has the lines 1 to %d.", len(inv.Lines)))
		case slices.ContainsFunc(in.Lines[:i], func(l LineInput) bool { return l.Position == typed.Position }):
			problems.Add(pointer+"/position", fmt.Sprintf("Line %d came twice.", typed.Position))
		}
		quantity, err := money.ParseDecimal(strings.TrimSpace(typed.Quantity))
		taken := typed.Position >= 1 && typed.Position <= len(inv.Lines) && inv.Lines[typed.Position-1].Quantity.IsNegative()
		switch {
		case err != nil, money.Scale(quantity) > 6, quantity.Abs().GreaterThan(decimal.New(1, 9)), !taken && quantity.IsNegative():
			problems.Add(pointer+"/quantity", "Enter a quantity of 0 or more with at most 6 decimals, like 2 or 1.5.")
		case taken && quantity.IsPositive():
			problems.Add(pointer+"/quantity", "Enter a quantity of 0 or less, like the one of the line.")
		}
		if !quantity.IsZero() {
			d.Lines = append(d.Lines, Quantity{typed.Position, quantity})
		}
	}
	if !d.All && len(d.Lines) == 0 && problems.Err() == nil {
		problems.Add("/lines", "Enter a quantity for at least one line.")
	}
	// The order of lines must not make another command.
	slices.SortFunc(d.Lines, func(a, b Quantity) int { return a.Position - b.Position })
	return d, problems.Err()
}

func checkDate(typed, of string, problems *invalid.Error) date.Date {
	day, err := date.ParseEntry(typed)
	if err != nil {
		problems.Add("/date", "Enter the day of "+of+" as year-month-day from 2000 to 2099, like 2026-11-21.")
	}
	return day
}
