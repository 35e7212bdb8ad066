package refund

import (
	"context"
	"fmt"
	"strconv"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/conflict"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/invoice"
	"onlyonce/internal/record"
	"onlyonce/internal/value/money"
)

// Remove removes a refund that was recorded by mistake, with a posting. Its amount is paid again. If a webhook event
// recorded it, later events about refunds of its payment are left to a user.
var Remove = idempotency.Define(idempotency.Spec[struct{}, Refund]{
	Kind: idempotency.Transition, Name: "refund.remove", Table: Table, Made: `r.removed_at IS NOT NULL`,
	Statements: func(tx *idempotency.Tx, _ struct{}) idempotency.Result {
		tx.Exec(`UPDATE refunds SET removed_at = now() WHERE tenant_id = @tenant_id AND id = @record_id`, nil)
		return tx.Record()
	},
	Explain: map[string]idempotency.Explanation[struct{}]{
		"refunds_removed_of_issued":   idempotency.Always[struct{}](errNotIssued),
		"refunds_removed_within_open": exceedsOpen,
		"books_closed":                invoice.WhenClosed[struct{}]("", payInstead),
	},
})

const payInstead = "The refund is of a closed day, so it can't be removed. Record a payment, or reopen the books. Nothing was changed."

// ExceedsOpen is the conflict of removing a refund that is larger than the open amount, which is its member open.
var ExceedsOpen = conflict.Kind{
	Slug: "refund-exceeds-open", Title: "Less is open than the refund",
	Meaning: "Without the refund its amount is paid, but less (open) is open on the invoice. Nothing was changed.",
	ToDo:    "Remove the later payment, or take the write-off back, and then remove the refund.",
}

// Removable returns a [*conflict.Error] if a refund of an invoice can't be removed.
func Removable(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, r Refund, of invoice.Invoice) error {
	switch {
	case !r.RemovedAt.IsZero():
		return nil
	case of.Status == invoice.StatusVoid:
		return errNotIssued()
	case r.Amount > of.Open:
		return errExceedsOpen(of.Currency, of.Open)
	default:
		return invoice.CheckOpen(ctx, pool, tenant, r.Date, "", payInstead)
	}
}

func errNotIssued() error {
	return &conflict.Error{
		Kind: &invoice.NotIssued, Title: "You can't remove this refund.", Text: "Its invoice was voided afterwards. Nothing was changed.",
	}
}

func errExceedsOpen(currency money.Currency, open int64) error {
	return &conflict.Error{
		Kind: &ExceedsOpen, Title: "The open amount is " + currency.Display(open) + " " + currency.String() + ".",
		Text: "Without the refund more would be paid than is open. Remove the later payment, or take the write-off back first. " +
			"Nothing was changed.",
		Members: map[string]string{"open": currency.Format(open)},
	}
}

func exceedsOpen(ctx context.Context, store *idempotency.Store, i idempotency.Intent, _ struct{}, broken *pgconn.PgError) error {
	open, err := strconv.ParseInt(broken.Detail, 10, 64)
	if err != nil {
		return fmt.Errorf("open amount: %w", err)
	}
	of, err := record.Find(ctx, store.Pool, Table, i.Tenant, i.Record)
	if err != nil {
		return err
	}
	return errExceedsOpen(of.Currency, open)
}
