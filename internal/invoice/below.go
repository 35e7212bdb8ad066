package invoice

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/record"
	"onlyonce/internal/record/search"
	"onlyonce/internal/value/date"
	"onlyonce/internal/value/money"
)

// Below lists the records that belong to a tenant's invoices, such as payments, latest day first.
type Below[R any] struct {
	Table record.Table[R] // has the column invoice_id
	Day   string          // the column that the list is sorted by
	// Where is a condition on the columns of the table, which is also in the index of Day.
	Where string
}

// BelowFilter selects such records. The zero value selects all.
type BelowFilter struct {
	Search   string         // finds the records by their invoices, like [Filter]
	From, To date.Date      // both included; zero for any
	Currency money.Currency // zero for all
}

// Of has the fields of the invoice in a row of a list.
type Of struct {
	InvoiceNumber string           `json:"invoice_number"`
	Customer      record.Reference `json:"customer"` // current name
}

// OfFields has the SQL for the fields of an [Of], for a table whose rows r have an invoice_id.
const OfFields = `
	'invoice_number', (SELECT i.number FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id),
	'customer', (
		SELECT json_build_object('id', c.id, 'name', c.name) FROM (
			SELECT i.tenant_id, i.customer_id FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id) AS its,
		LATERAL (SELECT id, name FROM customers c WHERE c.tenant_id = its.tenant_id AND c.id = its.customer_id LIMIT 1) AS c)`

// List returns a page, which may be short although more rows follow: see [search.Query]. It returns [record.ErrKey] for a wrong key.
func (b Below[R]) List(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, f BelowFilter, page record.Page) (record.List[R], error) {
	within := b.Where + ` AND ` + b.Day + ` >= @from::date AND ` + b.Day + ` <= @to::date`
	q := search.Query[R]{
		Table: b.Table.Name, Shown: b.Table.JSON(), Range: within, Where: within,
		Order: search.Order{Columns: [2]search.Column{{Name: b.Day, Type: "date"}, {Name: "id", Type: "uuid"}}, Descending: true},
		Args:  pgx.NamedArgs{"from": "-infinity", "to": "infinity"},
	}
	if f.From != (date.Date{}) {
		q.Args["from"] = f.From.String()
	}
	if f.To != (date.Date{}) {
		q.Args["to"] = f.To.String()
		q.Start = record.Key{f.To.String(), uuid.Max.String()}
	}
	if f.Currency != (money.Currency{}) {
		q.Filtered, q.Args["currency"] = true, f.Currency.String()
		q.Where += ` AND (SELECT i.currency FROM invoices i WHERE i.tenant_id = @tenant_id AND i.id = r.invoice_id LIMIT 1) = @currency`
	}
	if f.Search == "" {
		return q.List(ctx, pool, tenant, page)
	}
	terms, err := words.Terms(ctx, pool, tenant, f.Search)
	if err != nil || len(terms) == 0 {
		return record.List[R]{}, err
	}
	q.Below(words, "invoices", "invoice_id", terms)
	list, err := q.List(ctx, pool, tenant, page)
	list.Whole = search.WholeWords(terms)
	return list, err
}
