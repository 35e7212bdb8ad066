package mail

import (
	"log/slog"

	"github.com/jackc/pgx/v5"

	"onlyonce/internal/conflict"
	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/invalid"
	"onlyonce/internal/invoice"
)

// Send queues a further mail about an issued invoice. The first one is queued by [invoice.Issue].
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
		tx.Exec(`
			INSERT INTO mails (tenant_id, id, invoice_id, recipient, subject, introduction, e_invoice)
			VALUES (@tenant_id, @record_id, @invoice_id, NULLIF(@recipient, ''), @subject, @introduction, @e_invoice)`, args)
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

// Possible returns a [*conflict.Error] if an invoice can't be sent, because it is a draft or void.
func Possible(inv invoice.Invoice) error {
	if inv.Status == invoice.StatusDraft || inv.Status == invoice.StatusVoid {
		return errNotIssued()
	}
	return nil
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
