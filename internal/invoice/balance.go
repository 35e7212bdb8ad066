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

// Sum is a sum of invoices or payments by kind and currency.
type Sum struct {
	Kind     string // "open", "overdue", "paid" or "credit"
	Currency money.Currency
	Amount   decimal.Decimal // minor units; may exceed an int64
	Count    int             // of invoices, or of receipts with credit
}

// Standing returns the open amount, the part that was due before a day, and the payments and receipts in the month of that day, less its
// refunds and repayments. With a customer's id, the sums are for that customer, with the credit and without a paid amount; with the
// tenant's id, they are for all. The database keeps the sums besides the credit: see migrations/00119_standing.sql and
// 00225_invoice_money_received.sql.
func Standing(ctx context.Context, pool *pgxpool.Pool, tenant, of uuid.UUID, today date.Date) ([]Sum, error) {
	all, err := Standings(ctx, pool, tenant, []uuid.UUID{of}, today)
	return all[of], err
}

// Standings returns the standing of each id that has sums.
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
			WHERE tenant_id = @tenant_id AND of_id = each.id AND kind = 'paid_month' AND day = @month::date
			UNION ALL
			SELECT 'credit', currency, left_amount, 1 FROM receipts
			WHERE tenant_id = @tenant_id AND customer_id = each.id AND left_amount > 0) AS parts
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
