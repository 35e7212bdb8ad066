package receipt

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/invoice"
	"onlyonce/internal/record"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/money"
)

var below = invoice.Below{
	Parent: invoice.Customers("receipts"), Day: "received_on", Amount: "amount", Text: "reference", Where: `true`,
	Sums: `json_strip_nulls(json_build_object(
		'received', CASE WHEN r.removed_at IS NULL THEN r.amount END, 'left', NULLIF(r.left_amount, 0)))`,
}

// List returns a page of a tenant's receipts that a filter selects: see [invoice.ListBelow].
func List(
	ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, f invoice.BelowFilter, page record.Page,
) (record.List[Receipt], error) {
	return invoice.ListBelow(ctx, pool, tenant, below, Table, f, page)
}

// SumUp returns the sums of these receipts, without removed ones, of the kinds "received" and "left": see [invoice.SumBelow].
func SumUp(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, f invoice.BelowFilter) ([]invoice.Sum, bool, error) {
	return invoice.SumBelow(ctx, pool, tenant, below, Table, f)
}

// CreditFor returns the newest receipt of an invoice's customer with credit in the currency of the invoice, or [record.ErrNotFound].
func CreditFor(ctx context.Context, pool *pgxpool.Pool, tenant, invoice uuid.UUID) (Receipt, error) {
	list, err := record.ListBy(ctx, pool, Table, tenant, record.Page{Limit: 1}, `
		r.left_amount > 0 AND (r.customer_id, r.currency) = (
			SELECT i.customer_id, i.currency FROM invoices i WHERE i.tenant_id = @tenant_id AND i.id = @invoice)`,
		pgx.NamedArgs{"invoice": invoice})
	if err == nil && len(list.Rows) == 0 {
		err = record.ErrNotFound
	}
	if err != nil {
		return Receipt{}, err
	}
	return list.Rows[0], nil
}

// OpenInvoice is an invoice that a receipt may pay.
type OpenInvoice struct {
	ID      uuid.UUID
	Number  string
	DueDate date.Date
	Open    int64 // minor units
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
