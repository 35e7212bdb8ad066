package writeoff

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/record"
)

// ListOf returns a page of the write-offs of an invoice.
func ListOf(ctx context.Context, pool *pgxpool.Pool, tenant, invoice uuid.UUID, page record.Page) (record.List[WriteOff], error) {
	return Table.List(ctx, pool, tenant, page, `r.invoice_id = @invoice`, pgx.NamedArgs{"invoice": invoice})
}

// Name returns the display name of a write-off: "0.03 EUR on 21 Nov 2026".
func Name(w WriteOff) string {
	return w.Currency.Display(w.Amount) + " " + w.Currency.String() + " on " + w.Date.Display()
}
