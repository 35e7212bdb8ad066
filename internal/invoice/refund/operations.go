package refund

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/conflict"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/payment"
	"onlyonce/internal/record"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/money"
)

// alike describes a likely repeat.
var alike = idempotency.Alike[Refund]{
	Fields: []string{"payment_id date amount"}, Within: 10 * time.Minute, Name: Name, Verb: "record",
}

// Create records a refund and posts it to the invoice of its payment.
var Create = idempotency.Define(idempotency.Spec[Draft, Refund]{
	Kind: idempotency.Create, Name: "refund.create", Table: Table,
	Alike: alike,
	Statements: func(tx *idempotency.Tx, d Draft) idempotency.Result {
		args := pgx.NamedArgs{
			"payment_id": d.PaymentID, "amount": d.Amount, "refunded_on": d.Date.Time(), "reference": d.Reference, "seen_left": d.SeenLeft,
		}
		if d.SeenLeft >= 0 {
			// post_refund takes the same lock, so the refundable amount can't change until then.
			tx.Check(&conflict.Error{
				Kind: &invoice.OpenChanged, Title: "The refundable amount has changed since you opened this form.",
				Text: "The refund wasn't recorded. The form now shows the current amount.",
			}, `
				SELECT left_amount = @seen_left
				FROM (SELECT left_amount FROM payments WHERE tenant_id = @tenant_id AND id = @payment_id FOR UPDATE) AS p`, args)
		}
		tx.Exec(`
			INSERT INTO refunds (tenant_id, id, payment_id, amount, refunded_on, reference)
			VALUES (@tenant_id, @record_id, @payment_id, @amount, @refunded_on, @reference)`, args)
		return tx.Record()
	},
	Retain: 72 * time.Hour,
	Explain: map[string]idempotency.Explanation[Draft]{
		"refunds_within_payment":          exceedsPayment,
		"refunds_not_of_credit":           becameCredit,
		"refunds_payment":                 idempotency.Missing[Draft],
		"books_closed":                    invoice.WhenClosed[Draft]("/date", invoice.UseLaterDate),
		idempotency.LookAlike(Table.Name): invoice.RefuseBeforeAsking(Table, alike, func(d Draft) date.Date { return d.Date }),
	},
	NotInFingerprint: []string{"Paid", "SeenLeft"},
	Fields: func(d Draft) []slog.Attr {
		return []slog.Attr{slog.String("payment", d.PaymentID.String())}
	},
})

// ExceedsPayment is the conflict of refunding more than the refundable amount, which is its member left.
var ExceedsPayment = conflict.Kind{
	Slug: "exceeds-payment", Title: "More than the refundable amount",
	Meaning: "The refund is larger than what can still be refunded, which other refunds may have lowered. Nothing was recorded. " +
		"You can use the key again.",
	ToDo: "Read the payment, and refund at most the amount in left.",
}

// Possible returns a [*conflict.Error] if a payment of an invoice has no refundable amount.
func Possible(of payment.Payment, inv invoice.Invoice) error {
	if !of.RemovedAt.IsZero() {
		return &conflict.Error{Kind: &ExceedsPayment, Title: "This payment can't be refunded.", Text: "It was removed."}
	}
	if of.Left == 0 {
		return &conflict.Error{Kind: &ExceedsPayment, Title: "This payment can't be refunded.", Text: "It was already refunded in full."}
	}
	if inv.Paid == 0 {
		return errBecameCredit(of.Currency, 0)
	}
	return nil
}

func exceedsPayment(_ context.Context, _ *idempotency.Store, _ idempotency.Intent, d Draft, broken *pgconn.PgError) error {
	left, err := strconv.ParseInt(broken.Detail, 10, 64)
	if err != nil {
		return fmt.Errorf("what is left of the payment: %w", err)
	}
	return &conflict.Error{
		Kind: &ExceedsPayment, Title: d.Currency.Display(left) + " " + d.Currency.String() + " of this payment is left.",
		Text:  "The refund is larger, and wasn't recorded.",
		Field: "/amount", Blame: "Enter at most " + d.Currency.Format(left) + ".",
		Members: map[string]string{"left": d.Currency.Format(left)},
	}
}

func becameCredit(_ context.Context, _ *idempotency.Store, _ idempotency.Intent, d Draft, broken *pgconn.PgError) error {
	paid, err := strconv.ParseInt(broken.Detail, 10, 64)
	if err != nil {
		return fmt.Errorf("paid amount of the invoice: %w", err)
	}
	return errBecameCredit(d.Currency, paid)
}

// errBecameCredit returns the conflict with the refundable amount, in minor units.
func errBecameCredit(currency money.Currency, amount int64) error {
	left := currency.Format(amount)
	return &conflict.Error{
		Kind: &invoice.BecameCredit, Title: currency.Display(amount) + " " + currency.String() + " of this payment can be refunded.",
		Text:  "The rest became credit of the customer with a credit note. Pay it back from the receipt of the credit note.",
		Field: "/amount", Blame: "Enter at most " + left + ".", Members: map[string]string{"left": left},
	}
}

// ListOf returns a page of the refunds of a payment.
func ListOf(ctx context.Context, pool *pgxpool.Pool, tenant, payment uuid.UUID, page record.Page) (record.List[Refund], error) {
	return record.ListBy(ctx, pool, Table, tenant, page, `r.payment_id = @payment`, pgx.NamedArgs{"payment": payment})
}

// Name returns the display name of a refund: "50.00 EUR on 21 Nov 2026".
func Name(r Refund) string {
	return r.Currency.Display(r.Amount) + " " + r.Currency.String() + " on " + r.Date.Display()
}
