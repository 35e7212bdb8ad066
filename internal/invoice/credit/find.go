package credit

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/shopspring/decimal"

	"onlyonce/internal/record"
)

// ListOf returns a page of the credit notes of an invoice.
func ListOf(ctx context.Context, pool *pgxpool.Pool, tenant, invoice uuid.UUID, page record.Page) (record.List[Note], error) {
	return Table.List(ctx, pool, tenant, page, `r.invoice_id = @invoice`, pgx.NamedArgs{"invoice": invoice})
}

// Left is what is left of a line of an invoice.
type Left struct {
	Description string
	UnitPrice   int64           // minor units
	Quantity    decimal.Decimal // that was not credited yet
	Net         int64           // minor units of that
}

// LeftOf returns what is left of each line of an invoice, in their order.
func LeftOf(ctx context.Context, pool *pgxpool.Pool, tenant, invoice uuid.UUID) ([]Left, error) {
	return record.Collect(ctx, pool, tenant, pgx.RowToStructByPos[Left], `
		SELECT description, unit_price, trim_scale(quantity - credited)::text, (net - round(unit_price * credited))::bigint
		FROM invoice_lines, credited_quantity(tenant_id, invoice_id, position) AS credited
		WHERE tenant_id = @tenant_id AND invoice_id = @invoice ORDER BY position`,
		pgx.NamedArgs{"invoice": invoice})
}
