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
	return Table.List(ctx, pool, tenant, page, `true`, nil)
}

// ListOf returns a page of the mails of an invoice.
func ListOf(ctx context.Context, pool *pgxpool.Pool, tenant, invoice uuid.UUID, page record.Page) (record.List[Mail], error) {
	return Table.List(ctx, pool, tenant, page, `r.invoice_id = @invoice`, pgx.NamedArgs{"invoice": invoice})
}
