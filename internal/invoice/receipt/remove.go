package receipt

import (
	"context"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/conflict"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/invoice"
	"onlyonce/internal/record"
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
		"payments_not_of_credit":      idempotency.Always[struct{}](errBecameCredit),
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
	ToDo:    "Remove the payments from its credit, the repayments and the refunds first.",
}

// Removable returns a [*conflict.Error] if a receipt can't be removed, such as one with the names of what has to be removed first.
func Removable(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, of Receipt) error {
	if !of.RemovedAt.IsZero() {
		return nil
	}
	if of.CreditNote.ID != uuid.Nil {
		return errOfCreditNote()
	}
	if of.Allocated > 0 || of.Repaid > 0 {
		uses, err := usesOf(ctx, pool, tenant, of.ID)
		if err != nil {
			return err
		}
		if len(uses) > 0 {
			return errUsed(uses)
		}
		became, err := record.One(ctx, pool, tenant, pgx.RowTo[bool], paidLess, pgx.NamedArgs{"receipt": of.ID})
		if err != nil {
			return err
		}
		if became {
			return errBecameCredit()
		}
	}
	return invoice.CheckOpen(ctx, pool, tenant, of.Date, "", repayInstead)
}

// paidLess reports whether less is paid on an invoice than a payment of it from a receipt, because it became credit.
const paidLess = `
	SELECT EXISTS (
		SELECT FROM payments p
		WHERE tenant_id = @tenant_id AND receipt_id = @receipt AND removed_at IS NULL AND amount > (
			SELECT paid FROM invoices i WHERE i.tenant_id = p.tenant_id AND i.id = p.invoice_id LIMIT 1))`

func errOfCreditNote() error {
	return &conflict.Error{
		Kind: &invoice.BecameCredit, Title: "You can't remove this receipt.",
		Text: "Its credit comes from a credit note. To take it back, reverse the credit note. Nothing was changed.",
	}
}

func errBecameCredit() error {
	return &conflict.Error{
		Kind: &invoice.BecameCredit, Title: "You can't remove this receipt.",
		Text: "A part of what it paid became the customer's credit with a credit note. Nothing was changed.",
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

// use is a record that has to be removed before a receipt.
type use struct {
	What     string // "repayment"
	Number   string // of its invoice; "" for none
	Currency money.Currency
	Amount   int64 // minor units
}

// maxUses is the number of records that a conflict names.
const maxUses = 5

// usesOf returns the repayments of a receipt, the payments from its credit, and the refunds of its payments, maxUses and one more at most.
func usesOf(ctx context.Context, pool *pgxpool.Pool, tenant, receipt uuid.UUID) ([]use, error) {
	return record.Collect(ctx, pool, tenant, pgx.RowToStructByPos[use], `
		SELECT of.what, of.number, r.currency, of.amount
		FROM receipts r, LATERAL (
			SELECT 'repayment' AS what, '' AS number, b.amount FROM repayments b
			WHERE b.tenant_id = r.tenant_id AND b.receipt_id = r.id AND b.removed_at IS NULL
			UNION ALL
			SELECT 'payment', i.number, p.amount FROM payments p JOIN invoices i ON i.tenant_id = p.tenant_id AND i.id = p.invoice_id
			WHERE p.tenant_id = r.tenant_id AND p.receipt_id = r.id AND p.removed_at IS NULL AND NOT `+recordedWith+`
			UNION ALL
			SELECT 'refund', i.number, f.amount FROM payments p
			JOIN refunds f ON f.tenant_id = p.tenant_id AND f.payment_id = p.id
			JOIN invoices i ON i.tenant_id = p.tenant_id AND i.id = p.invoice_id
			WHERE p.tenant_id = r.tenant_id AND p.receipt_id = r.id AND p.refunded > 0 AND f.removed_at IS NULL) AS of
		WHERE r.tenant_id = @tenant_id AND r.id = @receipt LIMIT @limit`,
		pgx.NamedArgs{"receipt": receipt, "limit": maxUses + 1})
}

// errUsed returns the conflict with the names of the uses. There are none if they were removed meanwhile.
func errUsed(uses []use) *conflict.Error {
	refused := &conflict.Error{Kind: &Used, Title: "You can't remove this receipt.", Text: "A part of it was used meanwhile. Try again."}
	if len(uses) == 0 {
		return refused
	}
	var names []string
	for _, u := range uses[:min(len(uses), maxUses)] {
		name := "the " + u.What + " of " + u.Currency.Display(u.Amount) + " " + u.Currency.String()
		if u.Number != "" {
			name += " on " + u.Number
		}
		names = append(names, name)
	}
	if len(uses) > maxUses {
		names = append(names, "others")
	}
	last := len(names) - 1
	list := names[last]
	if last > 0 {
		list = strings.Join(names[:last], ", ") + " and " + list
	}
	refused.Text = "First remove what depends on it: " + list + ". Nothing was changed."
	return refused
}
