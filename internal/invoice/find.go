package invoice

import (
	"context"
	"errors"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/money"
	"onlyonce/internal/postgres"
)

// ErrNotFound says that the tenant has no such invoice.
var ErrNotFound = errors.New("invoice not found")

// Find gives one invoice of a tenant, or [ErrNotFound].
func Find(ctx context.Context, pool *pgxpool.Pool, tenant, id uuid.UUID) (Invoice, error) {
	found, err := postgres.One(ctx, pool, tenant, pgx.RowTo[Invoice], `
		SELECT json_build_object(
			'id', i.id, 'number', i.number, 'status', i.status, 'currency', i.currency,
			'customer', json_build_object('id', c.id, 'email', c.email, 'name', c.name),
			'issue_date', i.issue_date, 'due_date', i.due_date, 'notes', i.notes,
			'lines', (
				SELECT json_agg(json_build_object(
					'description', l.description, 'quantity', l.quantity::text, 'unit_price', l.unit_price,
					'tax_rate', l.tax_rate::text, 'net', l.net) ORDER BY l.position)
				FROM invoice_lines l WHERE l.tenant_id = i.tenant_id AND l.invoice_id = i.id),
			'subtotal', i.subtotal, 'tax_total', i.tax_total, 'total', i.total,
			'version', i.version, 'created_at', i.created_at)
		FROM invoices i, `+itsCustomer+` c
		WHERE i.tenant_id = @tenant_id AND i.id = @id`,
		pgx.NamedArgs{"id": id})
	return found, notFound(err)
}

// Summary is an invoice as a list shows it.
type Summary struct {
	ID            uuid.UUID
	Number        string
	Status        string
	CustomerID    uuid.UUID
	CustomerEmail string
	CustomerName  string
	Currency      money.Currency
	IssueDate     Date
	DueDate       Date
	Total         int64 // minor units
}

// List gives at most limit invoices, newest first, that are older than the one with the id before;
// [uuid.Max] starts at the newest. The ids are UUIDv7: their order is the order of creation, and the
// primary key serves every page at the same cost.
func List(ctx context.Context, pool *pgxpool.Pool, tenant, before uuid.UUID, limit int) ([]Summary, error) {
	return postgres.Collect(ctx, pool, tenant, pgx.RowToStructByPos[Summary], summaries+`
		WHERE i.tenant_id = @tenant_id AND i.id < @before
		ORDER BY i.id DESC LIMIT @limit`,
		pgx.NamedArgs{"before": before, "limit": limit})
}

// ListOf is [List] for the invoices of one customer.
func ListOf(ctx context.Context, pool *pgxpool.Pool, tenant, customer, before uuid.UUID, limit int) ([]Summary, error) {
	return postgres.Collect(ctx, pool, tenant, pgx.RowToStructByPos[Summary], summaries+`
		WHERE i.tenant_id = @tenant_id AND i.customer_id = @customer AND i.id < @before
		ORDER BY i.id DESC LIMIT @limit`,
		pgx.NamedArgs{"customer": customer, "before": before, "limit": limit})
}

// summaries reads what a [Summary] shows, in its order.
const summaries = `
	SELECT i.id, i.number, i.status, c.id, c.email, c.name, i.currency, i.issue_date, i.due_date, i.total
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

func notFound(err error) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return ErrNotFound
	}
	return err
}
