package credit

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/shopspring/decimal"

	"onlyonce/internal/invoice"
	"onlyonce/internal/record"
	"onlyonce/internal/record/search"
	"onlyonce/internal/value/money"
)

// Listed is a credit note in the list of all credit notes.
type Listed struct {
	Note
	invoice.Of
}

var all = record.Table[Listed]{Name: Table.Name, Fields: Table.Fields + `,` + invoice.OfFields}

var below = invoice.Below{
	Parent: invoice.Invoices(), Day: "issue_date", Amount: "total", Text: "number", Where: `true`,
	Words: search.Words{Table: "credit_note_words", ID: "credit_note_id"},
	Sums:  `json_build_object('credited', r.total)`,
}

// List returns a page of a tenant's credit notes that a filter selects: see [invoice.ListBelow].
func List(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, f invoice.BelowFilter, page record.Page) (record.List[Listed], error) {
	return invoice.ListBelow(ctx, pool, tenant, below, all, f, page)
}

// SumUp returns the sums of these credit notes, of the kind "credited": see [invoice.SumBelow].
func SumUp(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, f invoice.BelowFilter) ([]invoice.Sum, bool, error) {
	return invoice.SumBelow(ctx, pool, tenant, below, all, f)
}

// ListOf returns a page of the credit notes of an invoice.
func ListOf(ctx context.Context, pool *pgxpool.Pool, tenant, invoice uuid.UUID, page record.Page) (record.List[Note], error) {
	return record.ListBy(ctx, pool, Table, tenant, page, `r.invoice_id = @invoice`, pgx.NamedArgs{"invoice": invoice})
}

// Left is the uncredited rest of a line of an invoice.
type Left struct {
	Description string
	UnitPrice   money.Price
	Quantity    decimal.Decimal // not credited yet
	Net         int64           // minor units, of that quantity and of amounts
	Tax         int64           // minor units, of all lines with its treatment and rate
	Unit        invoice.Unit
}

// LeftOf returns the uncredited rest of each line of an invoice, in order.
func LeftOf(ctx context.Context, pool *pgxpool.Pool, tenant, invoice uuid.UUID) ([]Left, error) {
	return record.Collect(ctx, pool, tenant, pgx.RowToStructByPos[Left], `
		SELECT description, trim_scale(price)::text, trim_scale(quantity - credited)::text,
			net - credited_amount(tenant_id, invoice_id, position), COALESCE((
				SELECT t.tax - credited_tax FROM invoice_taxes t
				WHERE t.tenant_id = l.tenant_id AND t.invoice_id = l.invoice_id AND source_id = l.invoice_id AND kind = 'invoice'
					AND t.tax_rate = l.tax_rate AND treatment = taxed_as(l.tax_treatment, l.tax_rate)), 0), COALESCE(unit, '')
		FROM invoice_lines l, credited_quantity(tenant_id, invoice_id, position) AS credited,
			LATERAL (SELECT unit_price + price_fraction AS price) AS fraction
		WHERE tenant_id = @tenant_id AND invoice_id = @invoice ORDER BY position`,
		pgx.NamedArgs{"invoice": invoice})
}
