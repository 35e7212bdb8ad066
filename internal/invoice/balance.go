package invoice

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/record"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/money"
)

// Sum is what invoices or payments of one kind and currency come to.
type Sum struct {
	Kind     string // "open", "overdue" or "paid"
	Currency money.Currency
	Amount   int64 // minor units
	Count    int   // of invoices
}

// Standing returns what is open, what of it was due before a day, and what was paid in the month of that day, less what was given
// back of that: of a customer, who has no sum of what was paid, or with the tenant's own id of all. The database keeps the sums, see
// migrations/00119_standing.sql.
func Standing(ctx context.Context, pool *pgxpool.Pool, tenant, of uuid.UUID, today date.Date) ([]Sum, error) {
	month, _ := today.Month()
	return record.Collect(ctx, pool, tenant, pgx.RowToStructByPos[Sum], `
		SELECT kind, currency, sum(amount)::bigint, sum(invoices)::bigint FROM (
			SELECT 'open' AS kind, currency, amount, invoices FROM standing
			WHERE tenant_id = @tenant_id AND of_id = @of AND kind = 'due_month'
			UNION ALL
			SELECT 'overdue', currency, amount, invoices FROM standing
			WHERE tenant_id = @tenant_id AND of_id = @of AND kind = 'due_month' AND day < @month::date
			UNION ALL
			SELECT 'overdue', currency, amount, invoices FROM standing
			WHERE tenant_id = @tenant_id AND of_id = @of AND kind = 'due_day' AND day >= @month::date AND day < @today::date
			UNION ALL
			SELECT 'paid', currency, amount, invoices FROM standing
			WHERE tenant_id = @tenant_id AND of_id = @of AND kind = 'paid_month' AND day = @month::date) AS parts
		GROUP BY kind, currency HAVING sum(invoices) > 0 ORDER BY kind, currency`,
		pgx.NamedArgs{"of": of, "today": today.Time(), "month": month.Time()})
}
