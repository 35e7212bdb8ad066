// Package refund keeps what was given back of payments. A refund is posted to the invoice of its payment in the same
// transaction, never beyond what is left of the payment, and stays as it is.
package refund

import (
	"github.com/google/uuid"

	"onlyonce/internal/invalid"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/payment"
	"onlyonce/internal/record"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/money"
)

// Refund is a refund as it is stored.
type Refund struct {
	record.Header
	record.Alike

	PaymentID uuid.UUID      `json:"payment_id"`
	InvoiceID uuid.UUID      `json:"invoice_id"` // of the payment
	Currency  money.Currency `json:"currency"`   // of the invoice
	Amount    int64          `json:"amount"`     // minor units
	Date      date.Date      `json:"date"`
}

// Table has the refunds.
var Table = record.Table[Refund]{Name: "refunds", Fields: `
	'payment_id', r.payment_id, 'invoice_id', r.invoice_id, 'amount', r.amount, 'date', r.refunded_on,
	'currency', (SELECT i.currency FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id)`}

// Input is what came in, as text.
type Input struct {
	Amount string `json:"amount" format:"decimal"`
	Date   string `json:"date" format:"date"`

	// SeenLeft is what a form showed as left of the payment; "" if it showed nothing.
	SeenLeft string `json:"-" form:"seen_left"`
}

// Draft is a valid input: the command that records a refund.
type Draft struct {
	PaymentID uuid.UUID      `json:"payment_id"`
	Currency  money.Currency `json:"currency"`
	Amount    int64          `json:"amount"` // minor units of Currency
	Date      date.Date      `json:"date"`

	// Paid is the day of the payment. It is no part of what is recorded.
	Paid date.Date `json:"-"`
	// SeenLeft is what the person saw as left of the payment, in minor units; -1 if it was not said. It is no part of
	// what is recorded.
	SeenLeft int64 `json:"-"`
}

// Draft checks the input for a payment. It returns an [*invalid.Error] that lists what is wrong.
func (in Input) Draft(of payment.Payment) (Draft, error) {
	var problems invalid.Error
	d := Draft{PaymentID: of.ID, Currency: of.Currency, Paid: of.Date, SeenLeft: invoice.SeenAmount(in.SeenLeft, of.Currency)}
	var err error
	d.Amount = invoice.CheckAmount(in.Amount, of.Currency, &problems)
	if d.Date, err = date.ParseEntry(in.Date); err != nil {
		problems.Add("/date", "Enter the day of the refund as year-month-day from 2000 to 2099, like 2026-11-21.")
	}
	return d, problems.Err()
}
