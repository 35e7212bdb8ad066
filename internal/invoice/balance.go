package invoice

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/shopspring/decimal"

	"onlyonce/internal/record"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/money"
)

// Sum is what invoices or payments of one kind and currency come to.
type Sum struct {
	Kind     string // "open", "overdue" or "paid"
	Currency money.Currency
	Amount   decimal.Decimal // minor units, which may be more than an int64 holds
	Count    int             // of invoices
}

// Standing returns what is open, what of it was due before a day, and what was paid in the month of that day, less what was refunded
// in it: of a customer, who has no sum of what was paid, or with the tenant's own id of all. The database keeps the sums, see
// migrations/00119_standing.sql and 00129_refunds_by_month.sql.
func Standing(ctx context.Context, pool *pgxpool.Pool, tenant, of uuid.UUID, today date.Date) ([]Sum, error) {
	all, err := Standings(ctx, pool, tenant, []uuid.UUID{of}, today)
	return all[of], err
}

// Standings returns what [Standing] does, of each of some that have any.
func Standings(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, of []uuid.UUID, today date.Date) (map[uuid.UUID][]Sum, error) {
	month, _ := today.Month()
	rows, err := record.Collect(ctx, pool, tenant, pgx.RowToStructByPos[sumOf], `
		SELECT each.id, kind, currency, sum(amount), sum(invoices)::bigint FROM unnest(@of::uuid[]) AS each (id), LATERAL (
			SELECT 'open' AS kind, currency, amount, invoices FROM standing
			WHERE tenant_id = @tenant_id AND of_id = each.id AND kind = 'due_month'
			UNION ALL
			SELECT 'overdue', currency, amount, invoices FROM standing
			WHERE tenant_id = @tenant_id AND of_id = each.id AND kind = 'due_month' AND day < @month::date
			UNION ALL
			SELECT 'overdue', currency, amount, invoices FROM standing
			WHERE tenant_id = @tenant_id AND of_id = each.id AND kind = 'due_day' AND day >= @month::date AND day < @today::date
			UNION ALL
			SELECT 'paid', currency, amount, invoices FROM standing
			WHERE tenant_id = @tenant_id AND of_id = each.id AND kind = 'paid_month' AND day = @month::date) AS parts
		GROUP BY each.id, kind, currency HAVING sum(invoices) > 0 OR sum(amount) <> 0 ORDER BY kind, currency`,
		pgx.NamedArgs{"of": record.IDs(of), "today": today.Time(), "month": month.Time()})
	all := map[uuid.UUID][]Sum{}
	for _, row := range rows {
		all[row.Of] = append(all[row.Of], row.Sum)
	}
	return all, err
}

type sumOf struct {
	Of uuid.UUID
	Sum
}
