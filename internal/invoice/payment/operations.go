package payment

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"onlyonce/internal/conflict"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/invoice"
)

// Create records a payment and posts it to its invoice.
var Create = idempotency.Define(idempotency.Spec[Draft, Payment]{
	Kind: idempotency.Create, Name: "payment.create", Table: Table,
	Statements: func(tx *idempotency.Tx, d Draft) idempotency.Result {
		args := pgx.NamedArgs{
			"invoice_id": d.InvoiceID, "amount": d.Amount, "paid_on": d.Date.Time(), "method": d.Method,
			"provider": d.Provider, "reference": d.Reference, "seen_open": d.SeenOpen,
		}
		if d.SeenOpen >= 0 {
			tx.Check(&conflict.Error{
				Kind: &invoice.OpenChanged, Title: "The open amount has changed since you opened this form.",
				Text: "The payment wasn't recorded. The form now shows the current open amount.",
			}, `
				SELECT open_amount = @seen_open
				FROM (SELECT open_amount FROM invoices WHERE tenant_id = @tenant_id AND id = @invoice_id FOR UPDATE) AS i`, args)
		}
		tx.Exec(`
			INSERT INTO payments (tenant_id, id, invoice_id, amount, paid_on, method, provider, reference, `+idempotency.ExternalColumns+`)
			VALUES (@tenant_id, @record_id, @invoice_id, @amount, @paid_on, @method, NULLIF(@provider, ''), NULLIF(@reference, ''),
				`+idempotency.ExternalValues+`)`, args)
		return tx.Record()
	},
	Alike: idempotency.Alike[Payment]{
		Fields: []string{"invoice_id amount date"}, Within: 10 * time.Minute, Name: Name,
	},
	External: func(d Draft) idempotency.External { return d.External },
	Retain:   72 * time.Hour,
	Explain: map[string]idempotency.Explanation[Draft]{
		"payments_reference_once": idempotency.Taken(Table,
			`r.provider_folded = fold_text(@provider) AND r.reference = @reference AND r.removed_at IS NULL`, reference, taken),
		"payments_within_open": exceedsOpen,
		"payments_of_issued":   idempotency.Always[Draft](errNotIssued),
		"payments_invoice":     idempotency.Missing[Draft],
		"books_closed":         invoice.WhenClosed[Draft]("/date", invoice.UseLaterDate),
	},
	NotInFingerprint: []string{"SeenOpen"},
	Fields: func(d Draft) []slog.Attr {
		return []slog.Attr{slog.String("invoice", d.InvoiceID.String()), slog.String("reference", d.Reference)}
	},
})

// Taken is the conflict of two payments with the same reference.
var Taken = conflict.Kind{
	Slug: "payment-taken", Title: "Payment already recorded",
	Meaning: "A payment with this provider and reference already exists. It was kept, and no second one was recorded.  " +
		"You can use the key again.",
	ToDo: "Open the first payment (existing_id). If this is another payment, send it with its own reference.",
}

// ExceedsOpen is the conflict of paying more than the open amount, which is its member open.
var ExceedsOpen = conflict.Kind{
	Slug: "exceeds-open-amount", Title: "More than the open amount",
	Meaning: "The payment is larger than what is open on the invoice, which other payments, credit notes and write-offs may have " +
		"lowered. Nothing was recorded. You can use the key again.",
	ToDo: "Read the invoice, and record at most its open amount (open). If the rest was written off, take the write-off back first.",
}

func reference(d Draft) pgx.NamedArgs {
	return pgx.NamedArgs{"provider": d.Provider, "reference": d.Reference}
}

func taken(_ Draft, first Payment) error {
	provider := ""
	if first.Provider != "" {
		provider = " of " + first.Provider
	}
	return &conflict.Error{
		Kind: &Taken, Title: "The payment " + first.Reference + provider + " is already recorded.",
		Text: "We kept it and didn't record a second one.", Existing: first.ID, Name: Name(first),
		Field: "/reference", Blame: "Another payment has this reference.",
	}
}

func exceedsOpen(_ context.Context, _ *idempotency.Store, _ idempotency.Intent, d Draft, broken *pgconn.PgError) error {
	open, err := strconv.ParseInt(broken.Detail, 10, 64)
	if err != nil {
		return fmt.Errorf("open amount: %w", err)
	}
	return &conflict.Error{
		Kind: &ExceedsOpen, Title: "The open amount is " + d.Currency.Display(open) + " " + d.Currency.String() + ".",
		Text:  "The payment is larger, and wasn't recorded.",
		Field: "/amount", Blame: "Enter at most " + d.Currency.Format(open) + ".",
		Members: map[string]string{"open": d.Currency.Format(open)},
	}
}

// Possible returns a [*conflict.Error] if an invoice can't have a payment, because it is not issued or has no open amount.
func Possible(inv invoice.Invoice) error {
	switch {
	case inv.Status == invoice.StatusDraft, inv.Status == invoice.StatusVoid:
		return errNotIssued()
	case inv.Open == 0 && inv.WrittenOff > 0:
		return &conflict.Error{
			Kind: &ExceedsOpen, Title: "Nothing is open on this invoice.",
			Text: "The rest was written off. If it's paid after all, take the write-off back first.",
		}
	case inv.Status == invoice.StatusCredited:
		return &conflict.Error{Kind: &ExceedsOpen, Title: "Nothing is open on this invoice.", Text: "It was credited."}
	case inv.Open == 0:
		return &conflict.Error{Kind: &ExceedsOpen, Title: "Nothing is open on this invoice.", Text: "It is paid."}
	default:
		return nil
	}
}

func errNotIssued() error {
	return &conflict.Error{
		Kind: &invoice.NotIssued, Title: "This invoice isn't issued.", Text: "Only an issued invoice can be paid. Nothing was recorded.",
	}
}
