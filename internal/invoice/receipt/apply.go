package receipt

import (
	"context"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/invalid"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/payment"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/money"
)

// ApplyInput is the input of [Apply] as text.
type ApplyInput struct {
	InvoiceID string `json:"invoice_id" format:"uuid"`
	Amount    string `json:"amount" format:"decimal"`
	Date      string `json:"date" format:"date"`
}

// ApplyDraft is the command that pays an invoice from the credit of a receipt.
type ApplyDraft struct {
	ReceiptID uuid.UUID      `json:"receipt_id"`
	Currency  money.Currency `json:"currency"`
	InvoiceID uuid.UUID      `json:"invoice_id"`
	Amount    int64          `json:"amount"` // minor units of Currency
	Date      date.Date      `json:"date"`
}

// Draft checks the input for a receipt. It returns an [*invalid.Error] with all mistakes.
func (in ApplyInput) Draft(of Receipt) (ApplyDraft, error) {
	var problems invalid.Error
	d := ApplyDraft{ReceiptID: of.ID, Currency: of.Currency, Amount: invoice.CheckAmount(in.Amount, of.Currency, &problems)}
	var err error
	if d.InvoiceID, err = uuid.Parse(in.InvoiceID); err != nil {
		problems.Add("/invoice_id", "Choose the invoice.")
	}
	if d.Date, err = date.ParseEntry(in.Date); err != nil {
		problems.Add("/date", "Enter the day of the payment as year-month-day from 2000 to 2099, like 2026-11-21.")
	}
	return d, problems.Err()
}

// Apply pays an invoice from the credit of a receipt, with a payment.
var Apply = idempotency.Define(idempotency.Spec[ApplyDraft, payment.Payment]{
	Kind: idempotency.Create, Name: "receipt.apply", Table: payment.Table,
	Statements: func(tx *idempotency.Tx, d ApplyDraft) idempotency.Result {
		args := pgx.NamedArgs{"receipt_id": d.ReceiptID, "invoice_id": d.InvoiceID, "amount": d.Amount, "paid_on": d.Date.Time()}
		tx.Exec(`
			INSERT INTO payments (tenant_id, id, receipt_id, invoice_id, amount, paid_on, method)
			VALUES (@tenant_id, @record_id, @receipt_id, @invoice_id, @amount, @paid_on, (
				SELECT method FROM receipts WHERE tenant_id = @tenant_id AND id = @receipt_id))`, args)
		tx.Exec(`
			INSERT INTO intent_effects (tenant_id, record_id, operation, key, effect)
			VALUES (@tenant_id, @receipt_id, @operation, @idempotency_key, 'credit allocated to an invoice')`, args)
		return tx.Record()
	},
	Retain: 72 * time.Hour,
	Explain: map[string]idempotency.Explanation[ApplyDraft]{
		"payments_receipt": idempotency.Missing[ApplyDraft],
		"payments_within_receipt": func(
			_ context.Context, _ *idempotency.Store, _ idempotency.Intent, d ApplyDraft, broken *pgconn.PgError,
		) error {
			return exceedsCredit(d.Currency, broken)
		},
		"payments_within_open": payment.ExplainExceedsOpen(func(d ApplyDraft) money.Currency { return d.Currency }),
		"payments_of_issued":   idempotency.Always[ApplyDraft](payment.ErrNotIssued),
		"payments_of_customer": idempotency.Invalid[ApplyDraft](
			"/invoice_id", "This invoice is of another customer, or in another currency."),
		"payments_invoice": idempotency.Invalid[ApplyDraft]("/invoice_id", "This invoice doesn't exist."),
		"books_closed":     invoice.WhenClosed[ApplyDraft]("/date", invoice.UseLaterDate),
	},
	Fields: func(d ApplyDraft) []slog.Attr {
		return []slog.Attr{slog.String("receipt", d.ReceiptID.String()), slog.String("invoice", d.InvoiceID.String())}
	},
})
