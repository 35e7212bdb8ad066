package batch

import (
	"context"
	"log/slog"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/record"
)

// Create creates a batch and queues its job.
var Create = idempotency.Define(idempotency.Spec[Draft, Batch]{
	Kind: idempotency.Create, Name: "invoice_batch.create", Table: Table,
	Statements: func(tx *idempotency.Tx, d Draft) idempotency.Result {
		var ids []string
		for _, id := range d.Invoices {
			ids = append(ids, id.String())
		}
		tx.Exec(`
			INSERT INTO invoice_batches (tenant_id, id, action, no_email, e_invoice, asked_by)
			VALUES (@tenant_id, @record_id, @action, @no_email, @e_invoice, @actor)`,
			pgx.NamedArgs{"action": d.Action, "no_email": d.NoEmail, "e_invoice": d.EInvoice})
		tx.Exec(`
			INSERT INTO invoice_batch_items (tenant_id, batch_id, invoice_id)
			SELECT @tenant_id, @record_id, unnest(@invoices::uuid[])`, pgx.NamedArgs{"invoices": ids})
		tx.Exec(`
			INSERT INTO river.river_job (kind, queue, args, max_attempts)
			VALUES ('invoice_batch', 'invoice_batches', jsonb_build_object('tenant', @tenant_id::uuid, 'batch', @record_id::uuid),
				25)`, nil)
		return tx.Record()
	},
	Explain: map[string]idempotency.Explanation[Draft]{
		"invoice_batch_items_invoice": idempotency.Invalid[Draft]("/invoices", "One of these invoices doesn't exist."),
	},
	Fields: func(d Draft) []slog.Attr {
		return []slog.Attr{slog.String("action", d.Action), slog.Int("invoices", len(d.Invoices))}
	},
})

// List returns a page of the batches of a tenant.
func List(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, page record.Page) (record.List[Batch], error) {
	return record.ListBy(ctx, pool, Table, tenant, page, `true`, nil)
}
