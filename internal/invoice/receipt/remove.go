package receipt

import (
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/conflict"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/invoice"
	"onlyonce/internal/record"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/money"
)

// Remove removes a receipt that was recorded by mistake, with the payments that were recorded with it, and frees its reference.
//
// A payment is locked before its receipt, as by its own removal, and invoices come last, in the order of their ids.
var Remove = idempotency.Define(idempotency.Spec[struct{}, Receipt]{
	Kind: idempotency.Transition, Name: "receipt.remove", Table: Table, Made: `r.removed_at IS NOT NULL`,
	Locks: `
		SELECT FROM payments WHERE tenant_id = @tenant_id AND receipt_id = @record_id AND removed_at IS NULL
		ORDER BY id FOR NO KEY UPDATE`,
	Statements: func(tx *idempotency.Tx, _ struct{}) idempotency.Result {
		tx.Exec(`SELECT FROM lock_receipt(@tenant_id, @record_id)`, nil)
		tx.Exec(`
			SELECT FROM invoices WHERE tenant_id = @tenant_id AND id = ANY (ARRAY(
				SELECT invoice_id FROM payments WHERE tenant_id = @tenant_id AND receipt_id = @record_id AND removed_at IS NULL))
			ORDER BY id FOR UPDATE`, nil)
		tx.Exec(`
			WITH removed AS (
				UPDATE payments p SET removed_at = now() FROM receipts r
				WHERE r.tenant_id = @tenant_id AND r.id = @record_id
					AND p.tenant_id = r.tenant_id AND p.receipt_id = r.id AND p.removed_at IS NULL AND `+recordedWith+`
				RETURNING p.id)
			INSERT INTO intent_effects (tenant_id, record_id, operation, key, effect)
			SELECT @tenant_id, id, @operation, @idempotency_key, 'removed with its receipt' FROM removed`, nil)
		tx.Exec(`UPDATE receipts SET removed_at = now() WHERE tenant_id = @tenant_id AND id = @record_id`, nil)
		return tx.Record()
	},
	Explain: map[string]idempotency.Explanation[struct{}]{
		"receipts_removed_whole":      used,
		"payments_removed_whole":      used,
		"receipts_not_of_credit_note": idempotency.Always[struct{}](errOfCreditNote),
		"payments_not_of_credit":      used,
		"books_closed":                invoice.WhenClosed[struct{}]("", repayInstead),
	},
})

const repayInstead = "The receipt is of a closed day, so it can't be removed. Pay the money back, or reopen the books. Nothing was changed."

// recordedWith is the condition on a payment p of a receipt r that both were recorded in one transaction.
const recordedWith = `p.created_at = r.created_at`

// Used is the conflict of removing a receipt whose credit was used, or of whose payments something was refunded.
var Used = conflict.Kind{
	Slug: "receipt-used", Title: "Receipt in use",
	Meaning: "Its credit was used, or one of its payments was refunded. Nothing was changed.",
	ToDo:    "Remove the payments from its credit, the repayments and the refunds first: others has their IDs.",
}

// Removable returns a [*conflict.Error] if a receipt can't be removed, with everything that has to be taken back first.
func Removable(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, of Receipt) error {
	if !of.RemovedAt.IsZero() {
		return nil
	}
	if of.CreditNote.ID != uuid.Nil {
		return errOfCreditNote()
	}
	uses, err := usesOf(ctx, pool, tenant, of.ID)
	switch {
	case err != nil || len(uses) == 0:
		return err
	case len(uses) == 1 && uses[0].What == "closing":
		return invoice.CheckOpen(ctx, pool, tenant, of.Date, "", repayInstead)
	default:
		return errUsed(uses)
	}
}

func errOfCreditNote() error {
	return &conflict.Error{
		Kind: &invoice.BecameCredit, Title: "You can't remove this receipt.",
		Text: "Its credit comes from a credit note. To take it back, reverse the credit note. Nothing was changed.",
	}
}

func used(ctx context.Context, store *idempotency.Store, i idempotency.Intent, _ struct{}, _ *pgconn.PgError) error {
	uses, err := usesOf(ctx, store.Pool, i.Tenant, i.Record)
	if err != nil {
		return err
	}
	return errUsed(uses)
}

// CreditUsed returns the [*conflict.Error] of reversing a credit note whose credit was used, which names the uses.
func CreditUsed(ctx context.Context, pool *pgxpool.Pool, tenant, note uuid.UUID) error {
	of, err := record.FindBy(ctx, pool, Table, tenant, `r.credit_note_id = @note`, pgx.NamedArgs{"note": note})
	if err != nil {
		return err
	}
	uses, err := usesOf(ctx, pool, tenant, of.ID)
	if err != nil {
		return err
	}
	refused := errUsed(uses)
	refused.Title = "You can't reverse this credit note."
	return refused
}

// use is a record that has to be taken back before a receipt.
type use struct {
	What     string // "repayment"; the resource has its plural
	ID       uuid.UUID
	Number   string // of its invoice; "" for none
	Currency money.Currency
	Amount   int64      // minor units
	Through  *date.Date // of a closing; nil for others
}

// name returns the display name of a use: "payment of 50.00 EUR on 2026-0042".
func (u use) name() string {
	name := u.What
	if u.Through != nil {
		return name + " through " + u.Through.Display()
	}
	name += " of " + u.Currency.Display(u.Amount) + " " + u.Currency.String()
	if u.Number != "" {
		name += " on " + u.Number
	}
	return name
}

// maxUses is the number of records that a conflict names.
const maxUses = 5

// usesOf returns the closing of the day of a receipt, its repayments, the payments from its credit, the refunds of its payments, and the
// credit notes with which those became credit. It returns maxUses and one more at most.
func usesOf(ctx context.Context, pool *pgxpool.Pool, tenant, receipt uuid.UUID) ([]use, error) {
	return record.Collect(ctx, pool, tenant, pgx.RowToStructByPos[use], `
		SELECT of.what, of.id, of.number, r.currency, of.amount, of.through
		FROM receipts r, LATERAL (
			(SELECT 'closing' AS what, id, '' AS number, 0::bigint AS amount, through FROM closings
			WHERE tenant_id = r.tenant_id AND through >= r.received_on AND reopened_at IS NULL AND r.credit_note_id IS NULL
			ORDER BY through DESC LIMIT 1)
			UNION ALL
			SELECT 'repayment', b.id, '', b.amount, NULL FROM repayments b
			WHERE b.tenant_id = r.tenant_id AND b.receipt_id = r.id AND b.removed_at IS NULL
			UNION ALL
			SELECT 'payment', p.id, i.number, p.amount, NULL FROM payments p
			JOIN invoices i ON i.tenant_id = p.tenant_id AND i.id = p.invoice_id
			WHERE p.tenant_id = r.tenant_id AND p.receipt_id = r.id AND p.removed_at IS NULL AND NOT `+recordedWith+`
			UNION ALL
			SELECT 'refund', f.id, i.number, f.amount, NULL FROM payments p
			JOIN refunds f ON f.tenant_id = p.tenant_id AND f.payment_id = p.id
			JOIN invoices i ON i.tenant_id = p.tenant_id AND i.id = p.invoice_id
			WHERE p.tenant_id = r.tenant_id AND p.receipt_id = r.id AND p.refunded > 0 AND f.removed_at IS NULL
			UNION ALL
			SELECT 'credit note', n.id, i.number, n.total, NULL FROM payments p
			JOIN invoices i ON i.tenant_id = p.tenant_id AND i.id = p.invoice_id
			JOIN credit_notes n ON n.tenant_id = i.tenant_id AND n.invoice_id = i.id
			WHERE p.tenant_id = r.tenant_id AND p.receipt_id = r.id AND p.removed_at IS NULL AND `+recordedWith+`
				AND p.amount > i.paid AND n.became_credit > 0 AND NOT EXISTS (
					SELECT FROM credit_notes o WHERE o.tenant_id = n.tenant_id AND o.reverses_id = n.id)) AS of
		WHERE r.tenant_id = @tenant_id AND r.id = @receipt LIMIT @limit`,
		pgx.NamedArgs{"receipt": receipt, "limit": maxUses + 1})
}

// errUsed returns the conflict with the names of the uses. There are none if they were removed meanwhile. It is [invoice.BecameCredit] if
// nothing else was used.
func errUsed(uses []use) *conflict.Error {
	refused := &conflict.Error{Kind: &Used, Title: "You can't remove this receipt.", Text: "A part of it was used meanwhile. Try again."}
	if len(uses) == 0 {
		return refused
	}
	if !slices.ContainsFunc(uses, func(u use) bool { return u.What != "closing" && u.What != "credit note" }) {
		refused.Kind = &invoice.BecameCredit
	}
	var names []string
	for _, u := range uses[:min(len(uses), maxUses)] {
		names = append(names, "the "+u.name())
		refused.Others = append(refused.Others, conflict.Other{ID: u.ID, Name: u.name(), Many: strings.ReplaceAll(u.What, " ", "-") + "s"})
	}
	if len(uses) > maxUses {
		names = append(names, "others")
	}
	last := len(names) - 1
	list := names[last]
	if last > 0 {
		list = strings.Join(names[:last], ", ") + " and " + list
	}
	refused.Text = "First take back " + list + "."
	return refused
}
