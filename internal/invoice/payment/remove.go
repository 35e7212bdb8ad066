package payment

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/conflict"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/invoice"
)

// Remove removes a payment that was recorded by mistake, with a posting. Webhook events with its reference don't record it again, but
// users and API clients can. The money of a receipt is the customer's credit again.
var Remove = idempotency.Define(idempotency.Spec[struct{}, Payment]{
	Kind: idempotency.Transition, Name: "payment.remove", Table: Table, Made: `r.removed_at IS NOT NULL`,
	Statements: func(tx *idempotency.Tx, _ struct{}) idempotency.Result {
		tx.Exec(`UPDATE payments SET removed_at = now() WHERE tenant_id = @tenant_id AND id = @record_id`, nil)
		tx.Exec(`
			INSERT INTO intent_effects (tenant_id, record_id, operation, key, effect)
			SELECT tenant_id, receipt_id, @operation, @idempotency_key, 'payment of an invoice removed' FROM payments
			WHERE tenant_id = @tenant_id AND id = @record_id AND receipt_id IS NOT NULL`, nil)
		return tx.Record()
	},
	Explain: map[string]idempotency.Explanation[struct{}]{
		"payments_removed_whole": idempotency.Always[struct{}](errHasRefunds),
		"payments_not_of_credit": idempotency.Always[struct{}](errBecameCredit),
		"books_closed":           invoice.WhenClosed[struct{}]("", refundInstead),
	},
})

const refundInstead = "The payment is of a closed day, so it can't be removed. Refund it, or reopen the books. Nothing was changed."

// HasRefunds is the conflict of removing a payment that has refunds.
var HasRefunds = conflict.Kind{
	Slug: "has-refunds", Title: "Payment has refunds",
	Meaning: "Some or all of the payment was refunded, so it can't be removed. Nothing was changed.",
	ToDo:    "Remove the refunds first, or refund the rest.",
}

// Removable returns a [*conflict.Error] if a payment of an invoice can't be removed.
func Removable(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, p Payment, of invoice.Invoice) error {
	if !p.RemovedAt.IsZero() {
		return nil
	}
	err := invoice.CheckOpen(ctx, pool, tenant, p.Date, "", refundInstead)
	switch {
	case err != nil: // before a conflict that advises what is refused too
		return err
	case p.Refunded > 0:
		return errHasRefunds()
	case p.Amount > of.Paid:
		return errBecameCredit()
	default:
		return nil
	}
}

func errBecameCredit() error {
	return &conflict.Error{
		Kind: &invoice.BecameCredit, Title: "You can't remove this payment.",
		Text: "Some of it became credit of the customer with a credit note of the invoice. Nothing was changed.",
	}
}

func errHasRefunds() error {
	return &conflict.Error{
		Kind: &HasRefunds, Title: "You can't remove this payment.",
		Text: "Some of it was refunded. Remove the refund first, or refund the rest. Nothing was changed.",
	}
}
