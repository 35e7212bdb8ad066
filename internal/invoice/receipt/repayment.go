package receipt

import (
	"context"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/invalid"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/payment"
	"onlyonce/internal/record"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/money"
)

// Repayment is credit of a receipt that was paid back to the customer. Only its removal changes it.
type Repayment struct {
	record.Header
	record.Alike

	ReceiptID uuid.UUID      `json:"receipt_id"`
	Currency  money.Currency `json:"currency"` // the receipt's
	Amount    int64          `json:"amount"`   // minor units
	Date      date.Date      `json:"date"`
	Reference string         `json:"reference"`           // of the bank or provider; "" for none
	RemovedAt time.Time      `json:"removed_at,omitzero"` // UTC
}

// Repayments is the table of repayments.
var Repayments = record.Table[Repayment]{Name: "repayments", Fields: `
	'receipt_id', r.receipt_id, 'amount', r.amount, 'date', r.repaid_on, 'reference', r.reference,
	'removed_at', r.removed_at,
	'currency', (SELECT c.currency FROM receipts c WHERE c.tenant_id = r.tenant_id AND c.id = r.receipt_id)`}

// RepayInput is the input of [Repay] as text.
type RepayInput struct {
	Amount    string `json:"amount" format:"decimal"`
	Date      string `json:"date" format:"date"`
	Reference string `json:"reference,omitzero" doc:"The ID that the bank or provider gave to the repayment."`
}

// RepayDraft is the command that records a repayment.
type RepayDraft struct {
	ReceiptID uuid.UUID      `json:"receipt_id"`
	Currency  money.Currency `json:"currency"`
	Amount    int64          `json:"amount"` // minor units of Currency
	Date      date.Date      `json:"date"`
	Reference string         `json:"reference,omitzero"`
}

// Draft checks the input for a receipt. It returns an [*invalid.Error] with all mistakes.
func (in RepayInput) Draft(of Receipt) (RepayDraft, error) {
	var problems invalid.Error
	d := RepayDraft{ReceiptID: of.ID, Currency: of.Currency, Amount: invoice.CheckAmount(in.Amount, of.Currency, &problems)}
	var err error
	if d.Date, err = date.ParseEntry(in.Date); err != nil {
		problems.Add("/date", "Enter the day of the repayment as year-month-day from 2000 to 2099, like 2026-11-21.")
	}
	d.Reference = problems.Line("/reference", "the reference", in.Reference, payment.MaxReference)
	return d, problems.Err()
}

// repaidAlike describes a likely repeat of a repayment.
var repaidAlike = idempotency.Alike[Repayment]{
	Fields: []string{"receipt_id date amount"}, Within: 10 * time.Minute, Name: RepaymentName, Verb: "record",
}

// Repay records that credit of a receipt was paid back to the customer.
var Repay = idempotency.Define(idempotency.Spec[RepayDraft, Repayment]{
	Kind: idempotency.Create, Name: "repayment.create", Table: Repayments,
	Statements: func(tx *idempotency.Tx, d RepayDraft) idempotency.Result {
		args := pgx.NamedArgs{"receipt_id": d.ReceiptID, "amount": d.Amount, "repaid_on": d.Date.Time(), "reference": d.Reference}
		tx.Exec(`
			INSERT INTO repayments (tenant_id, id, receipt_id, amount, repaid_on, reference)
			VALUES (@tenant_id, @record_id, @receipt_id, @amount, @repaid_on, @reference)`, args)
		tx.Exec(`
			INSERT INTO intent_effects (tenant_id, record_id, operation, key, effect)
			VALUES (@tenant_id, @receipt_id, @operation, @idempotency_key, 'credit paid back')`, args)
		return tx.Record()
	},
	Alike:  repaidAlike,
	Retain: 72 * time.Hour,
	Explain: map[string]idempotency.Explanation[RepayDraft]{
		"repayments_receipt": idempotency.Missing[RepayDraft],
		"books_closed":       invoice.WhenClosed[RepayDraft]("/date", invoice.UseLaterDate),
		idempotency.LookAlike(Repayments.Name): invoice.RefuseBeforeAsking(
			Repayments, repaidAlike, func(d RepayDraft) date.Date { return d.Date }),
		"repayments_within_receipt": func(
			_ context.Context, _ *idempotency.Store, _ idempotency.Intent, d RepayDraft, broken *pgconn.PgError,
		) error {
			return exceedsCredit(d.Currency, broken)
		},
	},
	Fields: func(d RepayDraft) []slog.Attr {
		return []slog.Attr{slog.String("receipt", d.ReceiptID.String())}
	},
})

// RemoveRepayment removes a repayment that was recorded by mistake, so that its amount is the customer's credit again.
var RemoveRepayment = idempotency.Define(idempotency.Spec[struct{}, Repayment]{
	Kind: idempotency.Transition, Name: "repayment.remove", Table: Repayments, Made: `r.removed_at IS NOT NULL`,
	Statements: func(tx *idempotency.Tx, _ struct{}) idempotency.Result {
		tx.Exec(`UPDATE repayments SET removed_at = now() WHERE tenant_id = @tenant_id AND id = @record_id`, nil)
		tx.Exec(`
			INSERT INTO intent_effects (tenant_id, record_id, operation, key, effect)
			SELECT tenant_id, receipt_id, @operation, @idempotency_key, 'repayment removed' FROM repayments
			WHERE tenant_id = @tenant_id AND id = @record_id`, nil)
		return tx.Record()
	},
	Explain: map[string]idempotency.Explanation[struct{}]{
		"books_closed": invoice.WhenClosed[struct{}]("", receiveInstead),
	},
})

const receiveInstead = "The repayment is of a closed day, so it can't be removed. Record a receipt, or reopen the books. " +
	"Nothing was changed."

// RepaymentRemovable returns a [*conflict.Error] if a repayment can't be removed, because its day is closed.
func RepaymentRemovable(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, b Repayment) error {
	if !b.RemovedAt.IsZero() {
		return nil
	}
	return invoice.CheckOpen(ctx, pool, tenant, b.Date, "", receiveInstead)
}

// RepaymentsOf returns a page of the repayments of a receipt.
func RepaymentsOf(ctx context.Context, pool *pgxpool.Pool, tenant, receipt uuid.UUID, page record.Page) (record.List[Repayment], error) {
	return record.ListBy(ctx, pool, Repayments, tenant, page, `r.receipt_id = @receipt`, pgx.NamedArgs{"receipt": receipt})
}

// RepaymentName returns the display name of a repayment: "50.00 EUR on 21 Nov 2026".
func RepaymentName(r Repayment) string {
	return r.Currency.Display(r.Amount) + " " + r.Currency.String() + " on " + r.Date.Display()
}
