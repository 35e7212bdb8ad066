package invoice

import (
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/invalid"
)

// VoidInput is the input of Void as text.
type VoidInput struct {
	DuplicateOf string `json:"duplicate_of,omitzero" format:"uuid" doc:"The invoice that stays, if this one is its duplicate."`
	Tell        bool   `json:"tell_customer,omitzero" doc:"Whether to tell the customer by email, if the invoice was issued."`
}

// VoidDraft is the command that voids an invoice.
type VoidDraft struct {
	DuplicateOf uuid.UUID `json:"duplicate_of,omitzero"` // uuid.Nil for none
	Tell        bool      `json:"tell,omitzero"`         // send the customer an email; ignored for a draft
}

// Draft checks the input. It returns an [*invalid.Error] with all mistakes.
func (in VoidInput) Draft() (d VoidDraft, err error) {
	d.Tell = in.Tell
	var problems invalid.Error
	if in.DuplicateOf != "" {
		if d.DuplicateOf, err = uuid.Parse(in.DuplicateOf); err != nil || d.DuplicateOf == uuid.Nil {
			problems.Add("/duplicate_of", "Send the id of the invoice that stays.")
		}
	}
	return d, problems.Err()
}

// Void marks a draft or an issued invoice as void: it no longer counts, but keeps its number.
var Void = idempotency.Define(idempotency.Spec[VoidDraft, Invoice]{
	Kind: idempotency.Transition, Name: "invoice.void", Table: Table, Made: `r.status = 'void'`,
	Statements: func(tx *idempotency.Tx, d VoidDraft) idempotency.Result {
		tx.Exec(`
			UPDATE invoices SET status = 'void', voided_at = now(), duplicate_of = NULLIF(@duplicate_of::uuid, @nobody::uuid)
			WHERE tenant_id = @tenant_id AND id = @record_id`, pgx.NamedArgs{"duplicate_of": d.DuplicateOf, "nobody": uuid.Nil})
		if d.DuplicateOf != uuid.Nil {
			tx.Exec(`
				INSERT INTO intent_effects (tenant_id, record_id, operation, key, effect)
				SELECT tenant_id, duplicate_of, @operation, @idempotency_key, number || ' voided as its duplicate' FROM invoices
				WHERE tenant_id = @tenant_id AND id = @record_id`, nil)
		}
		if d.Tell {
			mail := pgx.NamedArgs{"mail_id": tx.ID(1)}
			tx.Exec(queueVoidMail, mail)
			tx.Exec(mailQueued, mail)
		}
		return tx.Record()
	},
	Explain: map[string]idempotency.Explanation[VoidDraft]{
		"customers_erased":                   idempotency.Always[VoidDraft](customer.ErrErased),
		"invoices_duplicate_of":              notDuplicate,
		"invoices_void_without_payments":     hasPayments,
		"invoices_void_without_credit_notes": hasCreditNotes,
		"invoices_void_without_write_offs":   hasWriteOffs,
	},
})

// queueVoidMail queues the mail that informs the customer of a void invoice, if the invoice was issued and the customer has an email.
const queueVoidMail = `
	INSERT INTO mails (tenant_id, id, invoice_id, kind)
	SELECT tenant_id, @mail_id, id, 'void' FROM invoices
	WHERE tenant_id = @tenant_id AND id = @record_id AND issued_at IS NOT NULL AND bill_to->>'email' <> ''`
