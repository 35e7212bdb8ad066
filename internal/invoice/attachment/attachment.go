// Package attachment has the files that are attached to invoices. An invoice has each file once. A removed attachment stays as a row with
// its content, and is not shown any more.
package attachment

import (
	"context"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/conflict"
	"onlyonce/internal/file"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/invalid"
	"onlyonce/internal/record"
)

// Attachment is a stored attachment.
type Attachment struct {
	record.Header

	InvoiceID uuid.UUID   `json:"invoice_id"`
	File      file.Stored `json:"file"`
	RemovedAt time.Time   `json:"removed_at,omitzero"`
}

// Table is the table of attachments.
var Table = record.Table[Attachment]{Name: "attachments", Fields: `
	'invoice_id', r.invoice_id, 'removed_at', r.removed_at, 'file', ` + file.JSON("file")}

// Rule returns the rule for the files of attachments.
func Rule() file.Rule {
	return file.Rule{MaxBytes: 5 << 20, Types: []string{"application/pdf", "image/png", "image/jpeg", "text/plain"}}
}

// Input is the unchecked input.
type Input struct {
	File file.Input `json:"file"`
}

// Draft is the command that attaches a file.
type Draft struct {
	InvoiceID uuid.UUID `json:"invoice_id"`
	File      file.File `json:"file"`
}

// Draft checks the input for an invoice. It returns an [*invalid.Error].
func (in Input) Draft(of uuid.UUID) (Draft, error) {
	var problems invalid.Error
	d := Draft{of, Rule().Check(in.File, "/file", &problems)}
	return d, problems.Err()
}

// Create attaches a file to an invoice.
var Create = idempotency.Define(idempotency.Spec[Draft, Attachment]{
	Kind: idempotency.Create, Name: "attachment.create", Table: Table,
	Statements: func(tx *idempotency.Tx, d Draft) idempotency.Result {
		args := d.File.Arguments()
		args["invoice_id"] = d.InvoiceID
		tx.Exec(file.Insert, args)
		tx.Exec(`
			INSERT INTO attachments (tenant_id, id, invoice_id, file_name, file_digest)
			VALUES (@tenant_id, @record_id, @invoice_id, @file_name, @file_digest)`, args)
		tx.Exec(effect, pgx.NamedArgs{"effect": "file attached"})
		return tx.Record()
	},
	Explain: map[string]idempotency.Explanation[Draft]{
		"attachments_once": idempotency.Taken(Table,
			`r.invoice_id = @invoice_id AND r.file_digest = @file_digest AND r.removed_at IS NULL`, where, attached),
		"attachments_invoice": idempotency.Missing[Draft],
		"attachments_file":    idempotency.Missing[Draft], // can't happen: the same transaction inserts the content
	},
	Fields: func(d Draft) []slog.Attr {
		return []slog.Attr{slog.String("invoice", d.InvoiceID.String()), slog.String("file", d.File.SHA256)}
	},
})

// Remove removes an attachment from its invoice, in any state, because the issued document does not have it.
var Remove = idempotency.Define(idempotency.Spec[struct{}, Attachment]{
	Kind: idempotency.Transition, Name: "attachment.remove", Table: Table, Made: `r.removed_at IS NOT NULL`,
	Statements: func(tx *idempotency.Tx, _ struct{}) idempotency.Result {
		tx.Exec(`UPDATE attachments SET removed_at = now() WHERE tenant_id = @tenant_id AND id = @record_id`, nil)
		tx.Exec(effect, pgx.NamedArgs{"effect": "attachment removed"})
		return tx.Record()
	},
})

// effect adds an effect on the invoice.
const effect = `
	INSERT INTO intent_effects (tenant_id, record_id, operation, key, effect)
	SELECT tenant_id, invoice_id, @operation, @idempotency_key, @effect FROM attachments
	WHERE tenant_id = @tenant_id AND id = @record_id`

func where(d Draft) pgx.NamedArgs {
	return pgx.NamedArgs{"invoice_id": d.InvoiceID, "file_digest": d.File.Digest()}
}

// Attached is the conflict of a file that the invoice has.
var Attached = conflict.Kind{
	Slug: "file-attached", Title: "File already attached",
	Meaning: "The invoice has an attachment with the same content, perhaps under another name. It was kept, and no second one was added. " +
		"You can use the key again.",
	ToDo: "Open the first attachment (existing_id), or send another file.",
}

func attached(_ Draft, first Attachment) error {
	return &conflict.Error{
		Kind: &Attached, Title: "This file is already attached as " + first.File.Name + ".",
		Text: "We kept it and didn't attach it again.", Existing: first.ID, Name: Name(first),
		Field: "/file", Blame: "The invoice has this file.",
	}
}

// Rules returns the uniqueness rules of attachments.
func Rules() []conflict.Rule {
	return []conflict.Rule{{
		Constraint: "attachments_once", Optional: true,
		Sentence: "An invoice has each file once, under any name, unless it was removed.",
		Answer:   "The first attachment is kept. The second is refused, with a link to the first.",
		Conflict: &Attached,
	}}
}

// Name returns the display name of an attachment: the name of its file.
func Name(a Attachment) string { return a.File.Name }

// ListOf returns a page of the attachments of an invoice, without removed ones.
func ListOf(ctx context.Context, pool *pgxpool.Pool, tenant, invoice uuid.UUID, page record.Page) (record.List[Attachment], error) {
	return record.ListBy(ctx, pool, Table, tenant, page, `r.invoice_id = @invoice AND r.removed_at IS NULL`,
		pgx.NamedArgs{"invoice": invoice})
}
