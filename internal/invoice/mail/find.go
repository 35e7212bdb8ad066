package mail

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/record"
)

// List returns a page of the mails of a tenant.
func List(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, page record.Page) (record.List[Mail], error) {
	return record.ListBy(ctx, pool, Table, tenant, page, `true`, nil)
}

// ListOf returns a page of the mails of an invoice.
func ListOf(ctx context.Context, pool *pgxpool.Pool, tenant, invoice uuid.UUID, page record.Page) (record.List[Mail], error) {
	return record.ListBy(ctx, pool, Table, tenant, page, `r.invoice_id = @invoice`, pgx.NamedArgs{"invoice": invoice})
}

// ListOfCreditNote returns a page of the mails with a credit note, newest first.
func ListOfCreditNote(ctx context.Context, pool *pgxpool.Pool, tenant, note uuid.UUID, page record.Page) (record.List[Mail], error) {
	return record.ListBy(ctx, pool, Table, tenant, page, `r.credit_note_id = @note`, pgx.NamedArgs{"note": note})
}

// Failure is a mail that has failed and was not followed by another mail about its invoice.
type Failure struct {
	Invoice   uuid.UUID
	Number    string // of the invoice
	Recipient string
	Reason    string
}

// Failures returns a tenant's newest failures, at most limit, among the newest 200 failed mails of the last 90 days. It leaves out mails
// that were not sent because their invoice was voided, or reminders because it was paid.
func Failures(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, limit int) ([]Failure, error) {
	return record.Collect(ctx, pool, tenant, pgx.RowToStructByPos[Failure], `
		SELECT m.invoice_id, i.number, m.recipient, m.reason
		FROM (
			SELECT id, invoice_id, kind, recipient, reason FROM mails
			WHERE tenant_id = @tenant_id AND state = 'failed' AND created_at > now() - interval '90 days'
			ORDER BY created_at DESC, id DESC LIMIT 200) AS m,
			LATERAL (SELECT number, state FROM invoices WHERE tenant_id = @tenant_id AND id = m.invoice_id LIMIT 1) AS i
		WHERE CASE m.kind
			WHEN 'void' THEN true WHEN 'credit_note' THEN true WHEN 'reversal' THEN true WHEN 'invoice' THEN i.state <> 'void'
			ELSE i.state IN ('issued', 'partially_paid') END AND NOT EXISTS (
			SELECT FROM mails later WHERE later.tenant_id = @tenant_id AND later.invoice_id = m.invoice_id AND later.id > m.id OFFSET 0)
		ORDER BY m.id DESC LIMIT @limit`, pgx.NamedArgs{"limit": limit})
}
