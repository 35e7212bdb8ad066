package payment

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/record"
)

// ListOf returns a page of the payments of an invoice.
func ListOf(ctx context.Context, pool *pgxpool.Pool, tenant, invoice uuid.UUID, page record.Page) (record.List[Payment], error) {
	return Table.List(ctx, pool, tenant, page, `r.invoice_id = @invoice`, pgx.NamedArgs{"invoice": invoice})
}

// Name is what people call a payment: "50.00 EUR on 21 Nov 2026".
func Name(p Payment) string {
	return p.Currency.Display(p.Amount) + " " + p.Currency.String() + " on " + p.Date.Display()
}
