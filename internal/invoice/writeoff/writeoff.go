// Package writeoff has write-offs of invoices. A write-off is posted to its invoice in the same transaction, and never exceeds the open
// amount. Afterwards it only changes by being taken back.
package writeoff

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"onlyonce/internal/invalid"
	"onlyonce/internal/invoice"
	"onlyonce/internal/record"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/money"
)

// WriteOff is a stored write-off.
type WriteOff struct {
	record.Header
	record.Alike

	InvoiceID  uuid.UUID      `json:"invoice_id"`
	Currency   money.Currency `json:"currency"` // the invoice's
	Amount     int64          `json:"amount"`   // minor units
	Date       date.Date      `json:"date"`
	Reason     string         `json:"reason"`
	Note       string         `json:"note,omitzero"`
	ReversedAt time.Time      `json:"reversed_at,omitzero"` // UTC, when it was taken back
}

// Table is the table of write-offs.
var Table = record.Table[WriteOff]{Name: "write_offs", Fields: `
	'invoice_id', r.invoice_id, 'amount', r.amount, 'date', r.written_off_on, 'reason', r.reason, 'note', r.note,
	'reversed_at', r.reversed_at,
	'currency', (SELECT i.currency FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id)`}

// Reasons for a write-off. A third one, other, requires a note.
const (
	SmallDifference = "small_difference"
	BadDebt         = "bad_debt"
)

// Reasons returns the reasons for a write-off, in the order of the form.
func Reasons() []string { return []string{SmallDifference, BadDebt, other} }

// other is the reason that needs a note.
const other = "other"

// MaxNote is the maximum length of a note, in characters.
const MaxNote = 200

// Input is the input as text.
type Input struct {
	Amount string `json:"amount,omitzero" format:"decimal" doc:"Leave it out for the whole open amount."`
	Date   string `json:"date" format:"date"`
	Reason string `json:"reason" enum:"small_difference,bad_debt,other"`
	Note   string `json:"note,omitzero" doc:"Required if the reason is other."`

	// SeenOpen is the open amount that a form showed, or "".
	SeenOpen string `json:"-" form:"seen_open"`
}

// Draft is the command that records a write-off.
type Draft struct {
	InvoiceID uuid.UUID      `json:"invoice_id"`
	Currency  money.Currency `json:"currency"`
	Amount    int64          `json:"amount"` // minor units of Currency; 0 for the whole open amount
	Date      date.Date      `json:"date"`
	Reason    string         `json:"reason"`
	Note      string         `json:"note"`

	// SeenOpen is the open amount that the user saw, in minor units, or -1. It is not stored.
	SeenOpen int64 `json:"-"`
}

// Draft checks the input for an invoice. It returns an [*invalid.Error] with all mistakes.
func (in Input) Draft(of invoice.Invoice) (Draft, error) {
	var problems invalid.Error
	d := Draft{InvoiceID: of.ID, Currency: of.Currency, Reason: in.Reason, SeenOpen: invoice.SeenAmount(in.SeenOpen, of.Currency)}
	var err error
	if in.Amount != "" {
		d.Amount = invoice.CheckAmount(in.Amount, of.Currency, &problems)
	}
	if d.Date, err = date.ParseEntry(in.Date); err != nil {
		problems.Add("/date", "Enter the day of the write-off as year-month-day from 2000 to 2099, like 2026-11-21.")
	}
	if !slices.Contains(Reasons(), in.Reason) {
		problems.Add("/reason", "Choose a reason: small_difference, bad_debt, other.")
	}
	d.Note = problems.Line("/note", "the note", in.Note, MaxNote)
	if d.Note == "" && d.Reason == other {
		problems.Add("/note", "Enter the reason, such as goodwill.")
	}
	return d, problems.Err()
}
