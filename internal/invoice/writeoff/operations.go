package writeoff

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
	"onlyonce/internal/record"
	"onlyonce/internal/value/date"
)

// alike describes a likely repeat.
var alike = idempotency.Alike[WriteOff]{
	Fields: []string{"invoice_id amount date"}, Within: 10 * time.Minute, Name: Name, Verb: "record",
}

// Create records a write-off and posts it to its invoice.
var Create = idempotency.Define(idempotency.Spec[Draft, WriteOff]{
	Kind: idempotency.Create, Name: "write_off.create", Table: Table,
	Alike: alike,
	Statements: func(tx *idempotency.Tx, d Draft) idempotency.Result {
		args := pgx.NamedArgs{
			"invoice_id": d.InvoiceID, "amount": d.Amount, "written_off_on": d.Date.Time(), "reason": d.Reason, "note": d.Note,
			"seen_open": d.SeenOpen,
		}
		if d.SeenOpen >= 0 {
			// post_write_off takes the same lock, so the open amount can't change until then.
			tx.Check(&conflict.Error{
				Kind: &invoice.OpenChanged, Title: "The open amount has changed since you opened this form.",
				Text: "Nothing was written off. The form now shows the current open amount.",
			}, `
				SELECT open_amount = @seen_open
				FROM (SELECT open_amount FROM invoices WHERE tenant_id = @tenant_id AND id = @invoice_id FOR UPDATE) AS i`, args)
		}
		tx.Exec(`
			INSERT INTO write_offs (tenant_id, id, invoice_id, amount, written_off_on, reason, note)
			VALUES (@tenant_id, @record_id, @invoice_id, NULLIF(@amount::bigint, 0), @written_off_on, @reason, @note)`, args)
		return tx.Record()
	},
	Retain: 72 * time.Hour,
	Explain: map[string]idempotency.Explanation[Draft]{
		"write_offs_within_open": exceedsOpen,
		"write_offs_of_issued":   idempotency.Always[Draft](errNotIssued),
		"write_offs_invoice":     idempotency.Missing[Draft],
		"write_offs_not_before_invoice": idempotency.Invalid[Draft](
			"/date", "This day is before the date of the invoice. Enter a later one."),
		"books_closed":                    invoice.WhenClosed[Draft]("/date", invoice.UseLaterDate),
		idempotency.LookAlike(Table.Name): invoice.RefuseBeforeAsking(Table, alike, func(d Draft) date.Date { return d.Date }),
	},
	NotInFingerprint: []string{"SeenOpen"},
	Fields: func(d Draft) []slog.Attr {
		return []slog.Attr{slog.String("invoice", d.InvoiceID.String())}
	},
})

// Reverse takes a write-off back with a posting, so that its amount is open again.
var Reverse = idempotency.Define(idempotency.Spec[struct{}, WriteOff]{
	Kind: idempotency.Transition, Name: "write_off.reverse", Table: Table, Made: `r.reversed_at IS NOT NULL`,
	Statements: func(tx *idempotency.Tx, _ struct{}) idempotency.Result {
		tx.Exec(`UPDATE write_offs SET reversed_at = now() WHERE tenant_id = @tenant_id AND id = @record_id`, nil)
		return tx.Record()
	},
})

// ExceedsOpen is the conflict of writing off more than the open amount, which is its member open.
var ExceedsOpen = conflict.Kind{
	Slug: "write-off-exceeds-open", Title: "More than the open amount",
	Meaning: "The write-off is larger than what is open on the invoice, which payments, credit notes and other write-offs may have " +
		"lowered. Nothing was recorded. You can use the key again.",
	ToDo: "Read the invoice, and write off at most its open amount (open).",
}

// Possible returns a [*conflict.Error] if an invoice can't have a write-off, because it is not issued or has no open amount.
func Possible(inv invoice.Invoice) error {
	switch {
	case inv.Status == invoice.StatusDraft, inv.Status == invoice.StatusVoid:
		return errNotIssued()
	case inv.Open == 0:
		return &conflict.Error{Kind: &ExceedsOpen, Title: "Nothing is open on this invoice.", Text: "There's nothing to write off."}
	default:
		return nil
	}
}

// MostSmall returns the largest amount, in minor units, that is usual as a small difference on an invoice: 5 units of its currency, or 1%
// of its total if that is more.
func MostSmall(inv invoice.Invoice) int64 {
	five, _ := inv.Currency.Parse("5") // always is an amount
	return max(five, inv.Total/100)
}

func exceedsOpen(_ context.Context, _ *idempotency.Store, _ idempotency.Intent, d Draft, broken *pgconn.PgError) error {
	open, err := strconv.ParseInt(broken.Detail, 10, 64)
	if err != nil {
		return fmt.Errorf("open amount: %w", err)
	}
	exceeds := &conflict.Error{
		Kind: &ExceedsOpen, Title: "The open amount is " + d.Currency.Display(open) + " " + d.Currency.String() + ".",
		Text:    "The write-off is larger, and wasn't recorded.",
		Members: map[string]string{"open": d.Currency.Format(open)},
	}
	if open == 0 {
		exceeds.Title, exceeds.Text = "Nothing is open on this invoice.", "Nothing was written off."
	} else {
		exceeds.Field, exceeds.Blame = "/amount", "Enter at most "+d.Currency.Format(open)+"."
	}
	return exceeds
}

func errNotIssued() error {
	return &conflict.Error{
		Kind: &invoice.NotIssued, Title: "This invoice isn't issued.",
		Text: "Only an issued invoice can be written off. Nothing was recorded.",
	}
}

// ListOf returns a page of the write-offs of an invoice.
func ListOf(ctx context.Context, pool *pgxpool.Pool, tenant, invoice uuid.UUID, page record.Page) (record.List[WriteOff], error) {
	return record.ListBy(ctx, pool, Table, tenant, page, `r.invoice_id = @invoice`, pgx.NamedArgs{"invoice": invoice})
}

// Name returns the display name of a write-off: "0.03 EUR on 21 Nov 2026".
func Name(w WriteOff) string {
	return w.Currency.Display(w.Amount) + " " + w.Currency.String() + " on " + w.Date.Display()
}
