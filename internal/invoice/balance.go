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
	// More says that there are more of this kind, in whatever currency, than were counted.
	More bool
}

// Counted is how many invoices in each state, and how many payments, the sums are made of at most. Beyond, they say that
// there are more: see docs/decisions/0012-finding.md.
const Counted = "1000"

// Standing sums up what is open, what of it was due before a day, and what was paid in the month of that day, less what
// was given back of that.
func Standing(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, today date.Date) ([]Sum, error) {
	return record.Collect(ctx, pool, tenant, pgx.RowToStructByPos[Sum], `
		WITH unpaid AS MATERIALIZED (
			SELECT stream.currency, stream.open_amount, stream.due_date, stream.n FROM unnest(@states::text[]) AS each (state), LATERAL (
				SELECT i.currency, i.open_amount, i.due_date, row_number() OVER (ORDER BY i.due_date, i.id) AS n
				FROM invoices i WHERE i.tenant_id = @tenant_id AND i.state = each.state
				ORDER BY i.due_date, i.id LIMIT `+Counted+` + 1) AS stream
		), paid AS MATERIALIZED (
			SELECT p.amount - p.refunded AS amount, p.invoice_id, (
				SELECT i.currency FROM invoices i WHERE i.tenant_id = p.tenant_id AND i.id = p.invoice_id LIMIT 1) AS currency
			FROM payments p
			WHERE p.tenant_id = @tenant_id AND p.paid_on >= date_trunc('month', @today::date)::date
				AND p.paid_on < (date_trunc('month', @today::date) + interval '1 month')::date
			ORDER BY p.paid_on, p.id LIMIT `+Counted+` + 1
		)
		SELECT 'open', currency, sum(open_amount)::bigint, count(*), (SELECT bool_or(n > `+Counted+`) FROM unpaid)
		FROM unpaid GROUP BY currency
		UNION ALL
		SELECT 'overdue', currency, sum(open_amount)::bigint, count(*),
			(SELECT bool_or(n > `+Counted+`) FROM unpaid WHERE due_date < @today::date)
		FROM unpaid WHERE due_date < @today::date GROUP BY currency
		UNION ALL
		SELECT 'paid', currency, sum(amount)::bigint, count(DISTINCT invoice_id), (SELECT count(*) > `+Counted+` FROM paid)
		FROM paid GROUP BY currency
		ORDER BY 1, 2`,
		pgx.NamedArgs{"states": OpenStates(), "today": today.Time()})
}

// BalanceOf sums up what a customer owes, and what of it was due before a day.
func BalanceOf(ctx context.Context, pool *pgxpool.Pool, tenant, customer uuid.UUID, today date.Date) ([]Sum, error) {
	return record.Collect(ctx, pool, tenant, pgx.RowToStructByPos[Sum], `
		WITH unpaid AS MATERIALIZED (
			SELECT i.currency, i.open_amount, i.due_date, row_number() OVER (ORDER BY i.due_date, i.id) AS n
			FROM invoices i
			WHERE i.tenant_id = @tenant_id AND i.customer_id = @customer AND i.state IN ('issued', 'partially_paid')
			ORDER BY i.due_date, i.id LIMIT `+Counted+` + 1
		)
		SELECT 'open', currency, sum(open_amount)::bigint, count(*), (SELECT bool_or(n > `+Counted+`) FROM unpaid)
		FROM unpaid GROUP BY currency
		UNION ALL
		SELECT 'overdue', currency, sum(open_amount)::bigint, count(*),
			(SELECT bool_or(n > `+Counted+`) FROM unpaid WHERE due_date < @today::date)
		FROM unpaid WHERE due_date < @today::date GROUP BY currency
		ORDER BY 1, 2`,
		pgx.NamedArgs{"customer": customer, "today": today.Time()})
}
