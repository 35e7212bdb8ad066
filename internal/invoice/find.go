package invoice

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/date"
	"onlyonce/internal/money"
	"onlyonce/internal/postgres"
	"onlyonce/internal/record"
)

// Summary is an invoice as a list shows it.
type Summary struct {
	record.Header

	Number        string
	Status        string
	CustomerID    uuid.UUID
	CustomerEmail string
	CustomerName  string
	Currency      money.Currency
	IssueDate     date.Date
	DueDate       date.Date
	Total         int64 // minor units
}

// List gives a page of invoices.
func List(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, page record.Page) ([]Summary, error) {
	return postgres.Collect(ctx, pool, tenant, pgx.RowToStructByPos[Summary], `SELECT `+shown+` FROM (`+summaries+`
		WHERE i.tenant_id = @tenant_id AND i.id < @before
		ORDER BY i.id DESC LIMIT `+record.MaxRows+`) AS page ORDER BY id DESC LIMIT @limit`,
		pgx.NamedArgs{"before": page.Before, "limit": page.Limit})
}

// ListOf is [List] for the invoices of one customer.
func ListOf(ctx context.Context, pool *pgxpool.Pool, tenant, customer uuid.UUID, page record.Page) ([]Summary, error) {
	return postgres.Collect(ctx, pool, tenant, pgx.RowToStructByPos[Summary], `SELECT `+shown+` FROM (`+summaries+`
		WHERE i.tenant_id = @tenant_id AND i.customer_id = @customer AND i.id < @before
		ORDER BY i.id DESC LIMIT `+record.MaxRows+`) AS page ORDER BY id DESC LIMIT @limit`,
		pgx.NamedArgs{"customer": customer, "before": page.Before, "limit": page.Limit})
}

// shown is what a [Summary] shows, in its order.
const shown = `id, version, created_at, number, state, customer_id, email, name, currency, issue_date, due_date, total`

const summaries = `
	SELECT
		i.id, i.version, i.created_at, i.number, i.state, i.customer_id, c.email, c.name, i.currency, i.issue_date, i.due_date, i.total
	FROM invoices i, ` + itsCustomer + ` c`

// itsCustomer is the customer of an invoice i. The LIMIT makes it a lookup for each invoice: for a join,
// PostgreSQL may choose to read all customers of the tenant.
const itsCustomer = `LATERAL (
		SELECT id, email, name FROM customers WHERE tenant_id = i.tenant_id AND id = i.customer_id LIMIT 1)`

// NextNumber gives the number that the series of a year would allocate now: a suggestion, not a
// reservation.
func NextNumber(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, year int) (string, error) {
	return postgres.One(ctx, pool, tenant, pgx.RowTo[string], `
		SELECT format_invoice_number(@year, next_invoice_number(@tenant_id, @year))`,
		pgx.NamedArgs{"year": year})
}
