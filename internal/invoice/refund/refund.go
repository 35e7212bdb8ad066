// Package refund has refunds of payments. A refund is posted to the invoice of its payment in the same transaction, never exceeds the
// amount left of the payment. Afterwards, only its removal changes it.
package refund

import (
	"time"

	"github.com/google/uuid"

	"onlyonce/internal/invalid"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/payment"
	"onlyonce/internal/record"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/money"
)

// Refund is a stored refund.
type Refund struct {
	record.Header
	record.Alike

	PaymentID uuid.UUID      `json:"payment_id"`
	InvoiceID uuid.UUID      `json:"invoice_id"` // the payment's
	Currency  money.Currency `json:"currency"`   // the invoice's
	Amount    int64          `json:"amount"`     // minor units
	Date      date.Date      `json:"date"`
	Reference string         `json:"reference"`           // of the bank or provider; "" for none
	RemovedAt time.Time      `json:"removed_at,omitzero"` // UTC
}

// Table is the table of refunds.
var Table = record.Table[Refund]{Name: "refunds", Fields: `
	'payment_id', r.payment_id, 'invoice_id', r.invoice_id, 'amount', r.amount, 'date', r.refunded_on, 'reference', r.reference,
	'removed_at', r.removed_at,
	'currency', (SELECT i.currency FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id)`}

// Input is the input as text.
type Input struct {
	Amount    string `json:"amount" format:"decimal"`
	Date      string `json:"date" format:"date"`
	Reference string `json:"reference,omitzero" doc:"The ID that the bank or provider gave to the refund."`

	// SeenLeft is the refundable amount that a form showed, or "".
	SeenLeft string `json:"-" form:"seen_left"`
}

// Draft is the command that records a refund.
type Draft struct {
	PaymentID uuid.UUID      `json:"payment_id"`
	Currency  money.Currency `json:"currency"`
	Amount    int64          `json:"amount"` // minor units of Currency
	Date      date.Date      `json:"date"`
	Reference string         `json:"reference,omitzero"`

	// Paid is the day of the payment. It is not stored.
	Paid date.Date `json:"-"`
	// SeenLeft is the refundable amount that the user saw, in minor units, or -1. It is not stored.
	SeenLeft int64 `json:"-"`
}

// Draft checks the input for a payment. It returns an [*invalid.Error] with all mistakes.
func (in Input) Draft(of payment.Payment) (Draft, error) {
	var problems invalid.Error
	d := Draft{PaymentID: of.ID, Currency: of.Currency, Paid: of.Date, SeenLeft: invoice.SeenAmount(in.SeenLeft, of.Currency)}
	var err error
	d.Amount = invoice.CheckAmount(in.Amount, of.Currency, &problems)
	if d.Date, err = date.ParseEntry(in.Date); err != nil {
		problems.Add("/date", "Enter the day of the refund as year-month-day from 2000 to 2099, like 2026-11-21.")
	}
	d.Reference = problems.Line("/reference", "the reference", in.Reference, payment.MaxReference)
	return d, problems.Err()
}
