package invoice

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/record"
	"onlyonce/internal/value/money"
)

// Usual is what a new invoice of a customer begins with.
type Usual struct {
	Customer    uuid.UUID
	Currency    money.Currency // of their last invoice, or else of the settings
	PaymentDays int            // their own terms, or else those of the settings
}

// UsualOf returns it for those of the customers that there are, in any order. It takes a look at an index for each of them.
func UsualOf(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, customers []uuid.UUID) ([]Usual, error) {
	return record.Collect(ctx, pool, tenant, pgx.RowToStructByPos[Usual], `
		SELECT c.id, COALESCE(last.currency, s.currency), COALESCE(c.payment_days, s.payment_days)
		FROM unnest(@ids::uuid[]) AS wanted (id),
			LATERAL (SELECT id, payment_days FROM customers WHERE tenant_id = @tenant_id AND id = wanted.id LIMIT 1) AS c
			CROSS JOIN LATERAL (SELECT currency, payment_days FROM settings WHERE tenant_id = @tenant_id AND id = @tenant_id) AS s
			LEFT JOIN LATERAL (
				SELECT currency FROM invoices i WHERE i.tenant_id = @tenant_id AND i.customer_id = c.id
				ORDER BY i.issue_date DESC, i.id DESC LIMIT 1) AS last ON true`,
		pgx.NamedArgs{"ids": record.IDs(customers)})
}
