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
	"onlyonce/internal/record"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/money"
)

// alike describes a likely repeat.
var alike = idempotency.Alike[Payment]{
	Fields: []string{"invoice_id amount date"}, Within: 10 * time.Minute, Name: Name, Verb: "record",
}

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
	Alike:    alike,
	External: func(d Draft) idempotency.External { return d.External },
	Retain:   72 * time.Hour,
	Explain: map[string]idempotency.Explanation[Draft]{
		"payments_reference_once":         idempotency.Taken(All, ByReference, reference, taken),
		"payment_references_once":         idempotency.Taken(receipts, ByReference, reference, takenByReceipt),
		"payments_within_open":            ExplainExceedsOpen(func(d Draft) money.Currency { return d.Currency }),
		"payments_of_issued":              idempotency.Always[Draft](ErrNotIssued),
		"payments_invoice":                idempotency.Missing[Draft],
		"books_closed":                    invoice.WhenClosed[Draft]("/date", invoice.UseLaterDate),
		idempotency.LookAlike(Table.Name): invoice.RefuseBeforeAsking(Table, alike, func(d Draft) date.Date { return d.Date }),
	},
	NotInFingerprint: []string{"SeenOpen"},
	Fields: func(d Draft) []slog.Attr {
		return []slog.Attr{slog.String("invoice", d.InvoiceID.String()), slog.String("reference", d.Reference)}
	},
})

// Taken is the conflict of two payments with the same reference.
var Taken = conflict.Kind{
	Slug: "payment-taken", Title: "Payment already recorded",
	Meaning: "A payment or receipt with this provider and reference already exists. It was kept, and no second one was recorded.  " +
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

// ByReference is the condition on the row r of the payments, or of the receipts, that finds the one with a @provider and a @reference.
const ByReference = `r.provider_folded = fold_text(@provider) AND r.reference = @reference AND r.removed_at IS NULL`

func reference(d Draft) pgx.NamedArgs {
	return pgx.NamedArgs{"provider": d.Provider, "reference": d.Reference}
}

func taken(_ Draft, first Listed) error {
	provider := ""
	if first.Provider != "" {
		provider = " of " + first.Provider
	}
	return &conflict.Error{
		Kind: &Taken, Title: "The payment " + first.Reference + provider + " is already recorded.",
		Text: "It pays " + first.InvoiceNumber + ". We kept it and didn't record a second one. If one transfer pays several invoices, " +
			"remove that payment and record a receipt.",
		Existing: first.ID, Name: Name(first.Payment),
		Field: "/reference", Blame: "Another payment has this reference.",
	}
}

// receipts is the table of package receipt, with the fields for a conflict with a receipt.
var receipts = record.Table[transfer]{Name: "receipts", Fields: `'currency', r.currency, 'amount', r.amount, 'date', r.received_on`}

type transfer struct {
	record.Header

	Currency money.Currency `json:"currency"`
	Amount   int64          `json:"amount"` // minor units
	Date     date.Date      `json:"date"`
}

func takenByReceipt(d Draft, first transfer) error {
	return &conflict.Error{
		Kind: &Taken, Title: "The payment " + d.Reference + " of " + d.Provider + " is already recorded, as a receipt.",
		Text: "We kept it and didn't record a second one.", Existing: first.ID, Many: receipts.Name,
		Name:  Name(Payment{Currency: first.Currency, Amount: first.Amount, Date: first.Date}),
		Field: "/reference", Blame: "A receipt has this reference.",
	}
}

// ExplainExceedsOpen explains the constraint payments_within_open for a command in a currency.
func ExplainExceedsOpen[C any](currency func(C) money.Currency) idempotency.Explanation[C] {
	return func(_ context.Context, _ *idempotency.Store, _ idempotency.Intent, command C, broken *pgconn.PgError) error {
		open, err := strconv.ParseInt(broken.Detail, 10, 64)
		if err != nil {
			return fmt.Errorf("open amount: %w", err)
		}
		in := currency(command)
		return &conflict.Error{
			Kind: &ExceedsOpen, Title: "The open amount is " + in.Display(open) + " " + in.String() + ".",
			Text:  "The payment is larger, and wasn't recorded.",
			Field: "/amount", Blame: "Enter at most " + in.Format(open) + ".",
			Members: map[string]string{"open": in.Format(open)},
		}
	}
}

// Possible returns a [*conflict.Error] if an invoice can't have a payment, because it is not issued or has no open amount.
func Possible(inv invoice.Invoice) error {
	switch {
	case inv.Status == invoice.StatusDraft, inv.Status == invoice.StatusVoid:
		return ErrNotIssued()
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

// ErrNotIssued returns the conflict of a payment of an invoice that isn't issued.
func ErrNotIssued() error {
	return &conflict.Error{
		Kind: &invoice.NotIssued, Title: "This invoice isn't issued.", Text: "Only an issued invoice can be paid. Nothing was recorded.",
	}
}
