package invoice

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/invalid"
)

// Greeting begins the standard texts of emails. The placeholder is the customer's contact or name.
const Greeting = "Hello {contact},\n\n"

// MaxMessage is the maximum length of an email's message, in characters.
const MaxMessage = 2000

// IssueInput is the input of Issue as text.
type IssueInput struct {
	Email   string `json:"email,omitzero" enum:"customer,none" doc:"Leave it out, or say customer, to send it to the customer."`
	Message string `json:"message,omitzero" doc:"A text of your own, which the email has below the invoice's lines."`
	// EInvoice is the choice for the email.
	EInvoice bool `json:"e_invoice,omitzero" doc:"Attach the e-invoice to the email as XML, unless the invoice lacks required data."`
}

// The values of [IssueInput.Email].
const (
	EmailCustomer = "customer"
	EmailNone     = "none"
)

// IssueDraft is the command that issues an invoice. With the zero value, the customer gets the standard email.
type IssueDraft struct {
	NoEmail bool   `json:"no_email,omitzero"`
	Message string `json:"message,omitzero"` // in the email; "" for none
	// EInvoice attaches the e-invoice to the email, unless the invoice lacks required data.
	EInvoice bool `json:"e_invoice,omitzero"`
}

// Draft checks the input. It returns an [*invalid.Error] with all mistakes.
func (in IssueInput) Draft() (IssueDraft, error) {
	var problems invalid.Error
	if in.Email != "" && in.Email != EmailCustomer && in.Email != EmailNone {
		problems.Add("/email", "Use customer or none, or leave it out.")
	}
	d := IssueDraft{NoEmail: in.Email == EmailNone}
	if message := problems.Lines("/message", "the message", in.Message, MaxMessage); !d.NoEmail {
		d.Message, d.EInvoice = message, in.EInvoice
	}
	return d, problems.Err()
}

// Issuable returns a [*conflict.Error] if an invoice can't be issued, because it is not a draft, or of a closed day.
func Issuable(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, inv Invoice) error {
	if inv.Status != StatusDraft {
		return notDraft("issue")
	}
	return CheckOpen(ctx, pool, tenant, inv.IssueDate, "", issueLater)
}

const issueLater = "Nothing was issued. Change the issue date of the draft, or reopen the books."

// Issue issues a draft. From then on the trigger keep_invoice keeps the invoice unchanged, including the data of the business and of the
// customer. Unless no email is wanted or the customer has none, the same transaction queues the invoice's first mail, which package mail
// sends.
var Issue = idempotency.Define(idempotency.Spec[IssueDraft, Invoice]{
	Kind: idempotency.Transition, Name: "invoice.issue", Table: Table, Made: `r.status = 'issued'`,
	Statements: func(tx *idempotency.Tx, d IssueDraft) idempotency.Result {
		tx.Require(1, notDraft("issue"), issueDraft, nil)
		if !d.NoEmail {
			mail := pgx.NamedArgs{"mail_id": tx.ID(1), "message": d.Message, "e_invoice": d.EInvoice}
			tx.Exec(queueFirstMail, mail)
			tx.Exec(mailQueued, mail)
		}
		return tx.Record()
	},
	Explain: map[string]idempotency.Explanation[IssueDraft]{
		"books_closed": WhenClosed[IssueDraft]("", issueLater),
	},
})

// issueDraft, queueFirstMail and mailQueued issue an invoice, in this order.
var issueDraft = `
	UPDATE invoices SET status = 'issued', issued_at = now(), bill_to = (
			SELECT ` + buyerJSON + ` FROM customers c WHERE c.tenant_id = invoices.tenant_id AND c.id = invoices.customer_id),
		seller = (SELECT ` + sellerJSON + ` FROM settings s WHERE s.tenant_id = invoices.tenant_id AND s.id = invoices.tenant_id)
	WHERE tenant_id = @tenant_id AND id = @record_id AND status = 'draft'`

// queueFirstMail attaches the e-invoice if the command wants it; a command without a choice follows the customer's last email.
const (
	queueFirstMail = `
		INSERT INTO mails (tenant_id, id, invoice_id, message, e_invoice)
		SELECT tenant_id, @mail_id, id, @message::text, COALESCE(@e_invoice::boolean, (` + LastEInvoice + `), false) FROM invoices billed
		WHERE tenant_id = @tenant_id AND id = @record_id AND bill_to->>'email' <> ''`
	mailQueued = `
		INSERT INTO intent_effects (tenant_id, record_id, operation, key, effect)
		SELECT tenant_id, unnest(ARRAY[invoice_id, id]), @operation, @idempotency_key, 'email queued' FROM mails
		WHERE tenant_id = @tenant_id AND id = @mail_id`
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
		"invoices_void_without_payments":     idempotency.Always[VoidDraft](errHasPayments),
		"invoices_void_without_credit_notes": idempotency.Always[VoidDraft](errHasCreditNotes),
		"invoices_void_without_write_offs":   idempotency.Always[VoidDraft](errHasWriteOffs),
		"books_closed":                       WhenClosed[VoidDraft]("", creditInstead),
	},
})

const creditInstead = "The invoice is of a closed day, so it can't be voided. Credit it, or reopen the books. Nothing was changed."

// Voidable returns a [*conflict.Error] if an issued invoice from [Shown] can't be voided, because it has payments, credit notes or
// write-offs, or is of a closed day.
func Voidable(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, inv Invoice) error {
	switch {
	case inv.Status == StatusDraft, inv.Status == StatusVoid:
		return nil
	case inv.Paid > 0:
		return errHasPayments()
	case inv.HasCreditNotes:
		return errHasCreditNotes()
	case inv.WrittenOff > 0:
		return errHasWriteOffs()
	default:
		return CheckOpen(ctx, pool, tenant, inv.IssueDate, "", creditInstead)
	}
}

// queueVoidMail queues the mail that informs the customer of a void invoice, if the invoice was issued and the customer has an email.
const queueVoidMail = `
	INSERT INTO mails (tenant_id, id, invoice_id, kind)
	SELECT tenant_id, @mail_id, id, 'void' FROM invoices
	WHERE tenant_id = @tenant_id AND id = @record_id AND issued_at IS NOT NULL AND bill_to->>'email' <> ''`
