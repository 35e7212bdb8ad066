package mail

import (
	"log/slog"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"onlyonce/internal/conflict"
	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/invalid"
	"onlyonce/internal/invoice"
)

// Send queues a further mail about an issued invoice, a mail with one of its credit notes, or a failed mail again. The first one is queued
// by [invoice.Issue].
var Send = idempotency.Define(idempotency.Spec[Draft, Mail]{
	Kind: idempotency.Create, Name: "mail.send", Table: Table,
	Statements: func(tx *idempotency.Tx, d Draft) idempotency.Result {
		args := pgx.NamedArgs{
			"invoice_id": d.InvoiceID, "recipient": string(d.Recipient), "e_invoice": d.EInvoice,
			"subject": d.Subject, "introduction": d.Introduction,
		}
		tx.Check(errNoAddress(), `
			SELECT @recipient <> '' OR NOT EXISTS (
				SELECT FROM invoices
				WHERE tenant_id = @tenant_id AND id = @invoice_id AND status = 'issued' AND COALESCE(bill_to->>'email', '') = '')`, args)
		switch {
		case d.CreditNote != uuid.Nil:
			args["credit_note"] = d.CreditNote
			tx.Require(1, errNoCreditNote(), sendCreditNote, args)
		case d.Failed == uuid.Nil:
			tx.Exec(`
				INSERT INTO mails (tenant_id, id, invoice_id, recipient, subject, introduction, greeted, e_invoice)
				VALUES (@tenant_id, @record_id, @invoice_id, NULLIF(@recipient, ''), @subject, @introduction, true, @e_invoice)`, args)
		default:
			args["failed"] = d.Failed
			tx.Exec(`SELECT FROM lock_invoice(@tenant_id, @invoice_id)`, args)
			tx.Require(1, errNotFailed(), sendFailed, args)
		}
		tx.Exec(`
			INSERT INTO intent_effects (tenant_id, record_id, operation, key, effect)
			VALUES (@tenant_id, @invoice_id, @operation, @idempotency_key, 'email queued')`, args)
		return tx.Record()
	},
	Explain: map[string]idempotency.Explanation[Draft]{
		"customers_erased": idempotency.Always[Draft](customer.ErrErased),
		"mails_of_issued":  idempotency.Always[Draft](errNotIssued),
		"mails_invoice":    idempotency.Missing[Draft],
	},
	Fields: func(d Draft) []slog.Attr { return []slog.Attr{slog.String("invoice", d.InvoiceID.String())} },
})

// sendCreditNote queues a mail with a credit note of the invoice or its reversal.
var sendCreditNote = `
	INSERT INTO mails (tenant_id, id, invoice_id, kind, credit_note_id, recipient, subject, introduction, greeted, e_invoice)
	SELECT tenant_id, @record_id, invoice_id, CASE WHEN reverses_id IS NULL THEN 'credit_note' ELSE 'reversal' END, id,
		NULLIF(@recipient, ''), @subject, @introduction, true, COALESCE((
			SELECT (` + invoice.LastEInvoice + `) FROM invoices billed WHERE tenant_id = @tenant_id AND id = @invoice_id), false)
	FROM credit_notes
	WHERE tenant_id = @tenant_id AND id = @credit_note AND invoice_id = @invoice_id`

// sendFailed queues a mail like a failed one, unless it was sent again already, or reminds of an invoice with nothing open. In a reminder,
// the typed text replaces the message.
const sendFailed = `
	INSERT INTO mails (tenant_id, id, invoice_id, kind, credit_note_id, recipient, subject, introduction, message, greeted, e_invoice)
	SELECT tenant_id, @record_id, invoice_id, kind, credit_note_id, NULLIF(@recipient, ''), COALESCE(NULLIF(@subject, ''), subject),
		CASE WHEN kind LIKE 'reminder%' THEN '' ELSE COALESCE(NULLIF(@introduction, ''), introduction) END,
		CASE WHEN kind LIKE 'reminder%' THEN COALESCE(NULLIF(@introduction, ''), message) ELSE message END,
		greeted OR @introduction <> '', CASE kind WHEN 'invoice' THEN @e_invoice ELSE e_invoice END
	FROM mails m
	WHERE tenant_id = @tenant_id AND id = @failed AND invoice_id = @invoice_id AND state = 'failed' AND (
			kind NOT LIKE 'reminder%' OR EXISTS (
				SELECT FROM invoices WHERE tenant_id = @tenant_id AND id = @invoice_id AND state IN ('issued', 'partially_paid')))
		AND NOT EXISTS (
			SELECT FROM mails later
			WHERE later.tenant_id = @tenant_id AND later.invoice_id = @invoice_id AND later.id > m.id AND later.kind = m.kind
				AND later.credit_note_id IS NOT DISTINCT FROM m.credit_note_id)`

// NotFailed is the conflict of sending a mail again that has not failed.
var NotFailed = conflict.Kind{
	Slug: "email-not-failed", Title: "Email not failed",
	Meaning: "The email in failed_id didn't fail, is about another invoice, or was sent again already; or it is a reminder, and nothing " +
		"is open any more. Nothing was sent. You can use the key again.",
	ToDo: "Read the invoice's emails.",
}

func errNotFailed() error {
	return &conflict.Error{
		Kind: &NotFailed, Title: "This email can't be sent again.",
		Text: "It didn't fail, was sent again already, or reminds of an invoice on which nothing is open. Nothing was sent.",
	}
}

// Possible returns a [*conflict.Error] if an invoice can't be sent, because it is a draft or void.
func Possible(inv invoice.Invoice) error {
	if inv.Status == invoice.StatusDraft || inv.Status == invoice.StatusVoid {
		return errNotIssued()
	}
	return nil
}

func errNoCreditNote() error {
	var problems invalid.Error
	problems.Add("/credit_note_id", "The invoice has no such credit note.")
	return problems.Err()
}

func errNoAddress() error {
	var problems invalid.Error
	problems.Add("/recipient", "The customer has no email address. Enter one.")
	return problems.Err()
}

func errNotIssued() error {
	return &conflict.Error{
		Kind: &invoice.NotIssued, Title: "This invoice isn't issued.", Text: "Only an issued invoice can be sent. Nothing was sent.",
	}
}
