package credit

import (
	"context"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/conflict"
	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/invalid"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/receipt"
	"onlyonce/internal/record"
	"onlyonce/internal/value/date"
)

// ReverseInput is the input of [Reverse] as text.
type ReverseInput struct {
	Reason string `json:"reason,omitzero" doc:"Shown on the reversal."`
	Date   string `json:"date,omitzero" format:"date" doc:"Default: today, or the date of the credit note if that is later."`
	Tell   bool   `json:"tell_customer,omitzero" doc:"Whether to send the reversal to the customer by email."`
}

// ReverseDraft is the command that reverses a credit note.
type ReverseDraft struct {
	Reverses uuid.UUID `json:"reverses"`
	Reason   string    `json:"reason,omitzero"`
	Tell     bool      `json:"tell,omitzero"` // sends it to the customer by email, if the customer has an address
	// Date is the date of issue. Zero means today, or the date of the credit note if that is later.
	Date date.Date `json:"date,omitzero"`
}

// Draft checks the input for a credit note. It returns an [*invalid.Error] with all mistakes.
func (in ReverseInput) Draft(of Note) (ReverseDraft, error) {
	var problems invalid.Error
	d := ReverseDraft{Reverses: of.ID, Reason: problems.Lines("/reason", "the reason", in.Reason, maxReason), Tell: in.Tell}
	if in.Date != "" {
		d.Date = checkDate(in.Date, "the reversal", &problems)
	}
	return d, problems.Err()
}

// Reverse reverses a credit note that was created by mistake with another one, which has the next number and amounts below zero. What
// became credit is taken back.
var Reverse = idempotency.Define(idempotency.Spec[ReverseDraft, Note]{
	Kind: idempotency.Create, Name: "credit_note.reverse", Table: Table,
	Statements: func(tx *idempotency.Tx, d ReverseDraft) idempotency.Result {
		args := pgx.NamedArgs{"reverses": d.Reverses, "date": d.Date, "reason": d.Reason}
		tx.Exec(`SELECT FROM lock_reversal(@tenant_id, @reverses)`, args)
		tx.Exec(`
			INSERT INTO credit_notes (tenant_id, id, reverses_id, issue_date, reason)
			VALUES (@tenant_id, @record_id, @reverses, COALESCE(@date::date, (
				SELECT greatest(issue_date, business_day()) FROM credit_notes WHERE tenant_id = @tenant_id AND id = @reverses),
				business_day()), @reason)`, args)
		tx.Exec(`
			INSERT INTO intent_effects (tenant_id, record_id, operation, key, effect)
			SELECT tenant_id, id, @operation, @idempotency_key, 'credit taken back' FROM receipts
			WHERE tenant_id = @tenant_id AND credit_note_id = @reverses`, args)
		if d.Tell {
			queueMail(tx, args)
		}
		return tx.Record()
	},
	Retain: 72 * time.Hour,
	Explain: map[string]idempotency.Explanation[ReverseDraft]{
		"credit_notes_reversed_once": idempotency.Taken(Table, `r.reverses_id = @reverses`,
			func(d ReverseDraft) pgx.NamedArgs { return pgx.NamedArgs{"reverses": d.Reverses} },
			func(_ ReverseDraft, first Note) error { return errReversed(first.Header.ID, first.Number) }),
		"credit_notes_reverses_no_reversal": idempotency.Always[ReverseDraft](errIsReversal),
		"credit_notes_reverses":             idempotency.Missing[ReverseDraft],
		"credit_notes_invoice":              idempotency.Missing[ReverseDraft],
		"credit_note_lines_line":            idempotency.Missing[ReverseDraft],
		"credit_notes_reversed_whole":       creditUsed,
		"credit_notes_number_once":          seriesBroken[ReverseDraft],
		"credit_notes_not_before_reversed": idempotency.Invalid[ReverseDraft](
			"/date", "This day is before the date of the credit note. Enter a later one."),
		"customers_erased": idempotency.Always[ReverseDraft](customer.ErrErased),
		"books_closed":     invoice.WhenClosed[ReverseDraft]("/date", invoice.UseLaterDate),
	},
	Fields: func(d ReverseDraft) []slog.Attr {
		return []slog.Attr{slog.String("credit_note", d.Reverses.String())}
	},
})

// ReversalRules returns the uniqueness rules of reversals.
func ReversalRules() []conflict.Rule {
	return []conflict.Rule{{
		Constraint: "credit_notes_reversed_once", Optional: true,
		Sentence: "A credit note is reversed once.",
		Answer:   "Refused, and the first reversal is kept.",
		Conflict: &Reversed,
	}}
}

// Reversed is the conflict of reversing a credit note again, or a reversal.
var Reversed = conflict.Kind{
	Slug: "credit-note-reversed", Title: "Credit note reversed",
	Meaning: "The credit note was reversed before, by the one in existing, or it is a reversal itself. Nothing was recorded.",
	ToDo:    "Look at the reversal. To credit the invoice again, create a new credit note.",
}

// Reversible returns a [*conflict.Error] if a credit note was reversed, is a reversal, or has credit that was used.
func Reversible(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, n Note) error {
	switch {
	case n.Reverses.ID != uuid.Nil:
		return errIsReversal()
	case n.ReversedBy.ID != uuid.Nil:
		return errReversed(n.ReversedBy.ID, n.ReversedBy.Name)
	case n.BecameCredit == 0:
		return nil
	}
	of, err := record.Find(ctx, pool, receipt.Table, tenant, n.Receipt)
	if err != nil || of.Left == of.Amount {
		return err
	}
	return receipt.CreditUsed(ctx, pool, tenant, n.ID)
}

func errReversed(first uuid.UUID, number string) error {
	return &conflict.Error{
		Kind: &Reversed, Title: "This credit note was reversed by " + number + ".", Text: "Nothing was recorded.",
		Existing: first, Name: number,
	}
}

func errIsReversal() error {
	return &conflict.Error{
		Kind: &Reversed, Title: "A reversal can't be reversed.", Text: "To credit the invoice again, create a new credit note.",
	}
}

// creditUsed names what used the credit from the credit note.
func creditUsed(ctx context.Context, store *idempotency.Store, i idempotency.Intent, d ReverseDraft, _ *pgconn.PgError) error {
	return receipt.CreditUsed(ctx, store.Pool, i.Tenant, d.Reverses)
}
