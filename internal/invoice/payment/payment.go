// Package payment has payments of invoices. A payment is posted to its invoice in the same transaction, and never exceeds the open
// amount. Afterwards, only refunds and its removal change it.
package payment

import (
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"onlyonce/internal/conflict"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/invalid"
	"onlyonce/internal/invoice"
	"onlyonce/internal/record"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/money"
)

// Payment is a stored payment.
type Payment struct {
	record.Header
	record.Alike

	InvoiceID uuid.UUID      `json:"invoice_id"`
	ReceiptID uuid.UUID      `json:"receipt_id,omitzero"` // of the receipt that it is a part of; zero for none
	Currency  money.Currency `json:"currency"`            // the invoice's
	Amount    int64          `json:"amount"`              // minor units
	Date      date.Date      `json:"date"`
	Method    string         `json:"method"`
	Provider  string         `json:"provider,omitzero"`
	Reference string         `json:"reference,omitzero"`
	Refunded  int64          `json:"refunded"` // minor units
	Left      int64          `json:"left"`     // minor units: Amount less Refunded; 0 if it was removed
	RemovedAt time.Time      `json:"removed_at,omitzero"`
	idempotency.External
}

// Table is the table of payments.
var Table = record.Table[Payment]{Name: "payments", Fields: `
	'invoice_id', r.invoice_id, 'receipt_id', r.receipt_id, 'amount', r.amount, 'refunded', r.refunded, 'left', r.left_amount,
	'date', r.paid_on, 'method', r.method,
	'removed_at', r.removed_at, 'provider', COALESCE(r.provider, ''), 'reference', COALESCE(r.reference, ''),
	'currency', (SELECT i.currency FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id),
	` + idempotency.ExternalJSON}

// Methods returns the payment methods, in the order of the form.
func Methods() []string { return []string{"bank_transfer", "card", "cash", "other"} }

// Limits of a payment, in characters.
const (
	MaxProvider  = 40
	MaxReference = 100
)

// Input is the input as text.
type Input struct {
	Amount    string `json:"amount" format:"decimal"`
	Date      string `json:"date" format:"date"`
	Method    string `json:"method" enum:"bank_transfer,card,cash,other"`
	Provider  string `json:"provider,omitzero" doc:"Send it with reference, or leave both out."`
	Reference string `json:"reference,omitzero" doc:"The provider's ID of the payment. Each can be used once."`
	idempotency.External

	// SeenOpen is the open amount that a form showed, or "".
	SeenOpen string `json:"-" form:"seen_open"`
}

// Draft is the command that records a payment.
type Draft struct {
	InvoiceID uuid.UUID      `json:"invoice_id"`
	Currency  money.Currency `json:"currency"`
	Amount    int64          `json:"amount"` // minor units of Currency
	Date      date.Date      `json:"date"`
	Method    string         `json:"method"`
	Provider  string         `json:"provider"`
	Reference string         `json:"reference"`
	idempotency.External

	// SeenOpen is the open amount that the user saw, in minor units, or -1. It is not stored.
	SeenOpen int64 `json:"-"`
}

// Draft checks the input for an invoice with a currency. It returns an [*invalid.Error] with all mistakes.
func (in Input) Draft(of uuid.UUID, currency money.Currency) (Draft, error) {
	var problems invalid.Error
	d := Draft{InvoiceID: of, Currency: currency, SeenOpen: invoice.SeenAmount(in.SeenOpen, currency)}
	var err error
	d.Amount = invoice.CheckAmount(in.Amount, currency, &problems)
	if d.Date, err = date.ParseEntry(in.Date); err != nil {
		problems.Add("/date", "Enter the day of the payment as year-month-day from 2000 to 2099, like 2026-11-21.")
	}
	d.Method = in.Method
	if !slices.Contains(Methods(), in.Method) {
		problems.Add("/method", "Choose how it was paid: "+strings.Join(Methods(), ", ")+".")
	}
	d.Provider, d.Reference = CheckReference(in.Provider, in.Reference, &problems)
	d.External = in.External.Check("", &problems)
	return d, problems.Err()
}

// CheckReference checks the provider and the reference of a transfer: both or neither.
func CheckReference(provider, reference string, problems *invalid.Error) (checkedProvider, checkedReference string) {
	provider = problems.Line("/provider", "the provider", provider, MaxProvider)
	reference = problems.Line("/reference", "the reference", reference, MaxReference)
	switch {
	case provider == "" && reference != "":
		problems.Add("/provider", "Enter who gave this reference, such as the name of the bank.")
	case provider != "" && reference == "":
		problems.Add("/reference", "Enter the reference that the provider gave to the payment.")
	}
	return provider, reference
}

// Rules returns the uniqueness rules of payments.
func Rules() []conflict.Rule {
	return []conflict.Rule{
		{
			Constraint: "payments_reference_once",
			Sentence: "One payment per provider and reference in each tenant, unless it was removed. " +
				"Case counts in references, not in providers.",
			Answer:   "The first payment is kept. The second is refused, with a link to the first.",
			Conflict: &Taken,
			Optional: true,
		},
		idempotency.ExternalRule(Table.Name, "payment"),
	}
}
