package refund

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/record"
)

// ListOf returns a page of the refunds of a payment.
func ListOf(ctx context.Context, pool *pgxpool.Pool, tenant, payment uuid.UUID, page record.Page) (record.List[Refund], error) {
	return Table.List(ctx, pool, tenant, page, `r.payment_id = @payment`, pgx.NamedArgs{"payment": payment})
}

// Name returns the display name of a refund: "50.00 EUR on 21 Nov 2026".
func Name(r Refund) string {
	return r.Currency.Display(r.Amount) + " " + r.Currency.String() + " on " + r.Date.Display()
}
