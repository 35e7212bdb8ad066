package receipt

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/shopspring/decimal"

	"onlyonce/internal/invoice"
	"onlyonce/internal/record"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/money"
)

var below = invoice.Below{
	Parent: invoice.Customers("receipts"), Day: "received_on", Amount: "amount", Text: "reference", Provided: true, Where: `true`,
	Sums: `json_strip_nulls(json_build_object(
		CASE WHEN r.credit_note_id IS NULL THEN 'received' ELSE 'credited' END, CASE WHEN r.removed_at IS NULL THEN r.amount END,
		'left', NULLIF(r.left_amount, 0)))`,
}

// List returns a page of a tenant's receipts that a filter selects: see [invoice.ListBelow].
func List(
	ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, f invoice.BelowFilter, page record.Page,
) (record.List[Receipt], error) {
	return invoice.ListBelow(ctx, pool, tenant, below, Table, f, page)
}

// SumUp returns the sums of these receipts, without removed ones, of the kinds "received", "credited" (from credit
// notes) and "left": see [invoice.SumBelow].
func SumUp(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, f invoice.BelowFilter) ([]invoice.Sum, bool, error) {
	return invoice.SumBelow(ctx, pool, tenant, below, Table, f)
}

// Credit is the credit of a customer in one currency.
type Credit struct {
	Customer string // the name
	Oldest   uuid.UUID
	Left     int64           // of the oldest receipt with credit, in minor units
	Total    decimal.Decimal // in minor units
	Receipts int             // with credit
}

// CreditFor returns the credit that can pay an invoice, or [pgx.ErrNoRows].
func CreditFor(ctx context.Context, pool *pgxpool.Pool, tenant, invoice uuid.UUID) (Credit, error) {
	return record.One(ctx, pool, tenant, pgx.RowToStructByPos[Credit], `
		SELECT (SELECT name FROM customers c WHERE c.tenant_id = @tenant_id AND c.id = r.customer_id), id, left_amount, total, receipts
		FROM (
			SELECT customer_id, id, received_on, left_amount, sum(left_amount) OVER () AS total, count(*) OVER () AS receipts
			FROM receipts
			WHERE tenant_id = @tenant_id AND left_amount > 0 AND (customer_id, currency) = (
				SELECT i.customer_id, i.currency FROM invoices i WHERE i.tenant_id = @tenant_id AND i.id = @invoice)
			ORDER BY customer_id, id) AS r
		ORDER BY received_on, id LIMIT 1`,
		pgx.NamedArgs{"invoice": invoice})
}

// OpenInvoice is an invoice that a receipt may pay.
type OpenInvoice struct {
	ID      uuid.UUID
	Number  string
	DueDate date.Date
	Open    int64 // minor units
}

// OpenCurrency returns the currency of the open invoice of a customer that is due first; "" for none.
func OpenCurrency(ctx context.Context, pool *pgxpool.Pool, tenant, customer uuid.UUID) (code string, err error) {
	return record.One(ctx, pool, tenant, pgx.RowTo[string], `
		SELECT COALESCE((
			SELECT currency FROM invoices
			WHERE tenant_id = @tenant_id AND customer_id = @customer AND state IN ('issued', 'partially_paid')
			ORDER BY due_date, id LIMIT 1), '')`, pgx.NamedArgs{"customer": customer})
}

// MaxOpen is the maximum number of invoices that [Open] returns.
const MaxOpen = 50

// Open returns the invoices of a customer in a currency that have an open amount, the first due first.
func Open(ctx context.Context, pool *pgxpool.Pool, tenant, customer uuid.UUID, currency money.Currency) ([]OpenInvoice, error) {
	return record.Collect(ctx, pool, tenant, pgx.RowToStructByPos[OpenInvoice], `
		SELECT id, number, due_date, open_amount FROM invoices
		WHERE tenant_id = @tenant_id AND customer_id = @customer AND state IN ('issued', 'partially_paid') AND currency = @currency
		ORDER BY due_date, id LIMIT 50`, pgx.NamedArgs{"customer": customer, "currency": currency.String()})
}
