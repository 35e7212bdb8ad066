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

// Period is the open amount of an age, or the amount billed or paid in a month.
type Period struct {
	Kind     string // "due", "billed" or "paid"
	From     date.Date
	Currency money.Currency
	Amount   decimal.Decimal // minor units, as in [Sum]; negative if credit notes or refunds exceed the billed or paid amount
	Count    int             // of invoices
}

// Ages returns the days before today with which the ages of open amounts begin: not due, 1 to 30 days late, and so on. The last age has
// no end.
func Ages() []int { return []int{0, 30, 60, 90} }

// Months is the number of months in [Periods], including the current one.
const Months = 12

// Periods returns the open amounts by age, each with its first day (the zero day for the oldest), and the amounts billed, less credit
// notes, and paid, less refunds and repayments, in each of the last months. It reads the sums that the database keeps: see
// [Standing]. Credit notes and refunds count in their own month.
func Periods(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, today date.Date) ([]Period, error) {
	month, _ := today.Month()
	var edges []string
	for _, age := range Ages() {
		edges = append(edges, today.AddDays(-age).String())
	}
	return record.Collect(ctx, pool, tenant, pgx.RowToStructByPos[Period], `
		WITH edge AS (SELECT unnest(@edges::date[]) AS day),
		-- The amounts due before each edge: in earlier months, and on days of its month.
		before AS (
			SELECT edge.day, s.currency, s.amount, s.invoices FROM edge, LATERAL (
				SELECT currency, amount, invoices FROM standing
				WHERE tenant_id = @tenant_id AND of_id = @tenant_id AND kind = 'due_month' AND day < date_trunc('month', edge.day)::date
				UNION ALL
				SELECT currency, amount, invoices FROM standing
				WHERE tenant_id = @tenant_id AND of_id = @tenant_id AND kind = 'due_day'
					AND day >= date_trunc('month', edge.day)::date AND day < edge.day) AS s
			UNION ALL
			SELECT 'infinity', currency, amount, invoices FROM standing
			WHERE tenant_id = @tenant_id AND of_id = @tenant_id AND kind = 'due_month'
		), summed AS (
			SELECT e.day, c.currency, COALESCE(sum(b.amount), 0) AS amount, COALESCE(sum(b.invoices), 0) AS invoices
			FROM (SELECT day FROM edge UNION ALL SELECT 'infinity') AS e
			CROSS JOIN (SELECT DISTINCT currency FROM before) AS c
			LEFT JOIN before b ON b.day = e.day AND b.currency = c.currency
			GROUP BY e.day, c.currency
		), aged AS (
			SELECT lag(day) OVER age AS day, currency,
				amount - COALESCE(lag(amount) OVER age, 0) AS amount, invoices - COALESCE(lag(invoices) OVER age, 0) AS invoices
			FROM summed WINDOW age AS (PARTITION BY currency ORDER BY day)
		)
		SELECT 'due', COALESCE(day, '0001-01-01'), currency, amount, invoices::bigint FROM aged WHERE invoices > 0
		UNION ALL
		SELECT kind, day, currency, sum(amount), sum(invoices)::bigint FROM (
			SELECT 'billed' AS kind, day, currency, amount, invoices FROM standing
			WHERE tenant_id = @tenant_id AND of_id = @tenant_id AND kind = 'billed_month' AND day >= @since::date AND day <= @month::date
			UNION ALL
			SELECT 'paid', day, currency, amount, invoices FROM standing
			WHERE tenant_id = @tenant_id AND of_id = @tenant_id AND kind = 'paid_month' AND day >= @since::date AND day <= @month::date
		) AS months
		GROUP BY kind, day, currency HAVING sum(invoices) > 0 OR sum(amount) <> 0
		ORDER BY 1, 3, 2`,
		pgx.NamedArgs{"edges": edges, "month": month.Time(), "since": month.AddMonths(1 - Months).Time()})
}
