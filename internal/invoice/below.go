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

// Below lists what belongs to all invoices of a tenant, such as their payments, the last day first.
type Below[R any] struct {
	Table record.Table[R] // has the column invoice_id
	Day   string          // the column that the list is sorted by
	// Where is a condition on the columns of the table, which the index of Day has too.
	Where string
}

// BelowFilter selects some of them. The zero value selects all.
type BelowFilter struct {
	Search   string         // finds them by their invoices, as [Filter] does
	From, To date.Date      // both included; zero for no matter
	Currency money.Currency // zero for all
}

// Of is what a row of a list says of its invoice.
type Of struct {
	InvoiceNumber string           `json:"invoice_number"`
	Customer      record.Reference `json:"customer"` // as they are now
}

// OfFields is the SQL of an [Of] for the fields of a table whose rows r have an invoice_id.
const OfFields = `
	'invoice_number', (SELECT i.number FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id),
	'customer', (
		SELECT json_build_object('id', c.id, 'name', c.name) FROM (
			SELECT i.tenant_id, i.customer_id FROM invoices i WHERE i.tenant_id = r.tenant_id AND i.id = r.invoice_id) AS its,
		LATERAL (SELECT id, name FROM customers c WHERE c.tenant_id = its.tenant_id AND c.id = its.customer_id LIMIT 1) AS c)`

// List returns a page, which may be shorter than asked for although more come behind it: see [search.Query]. The error may be
// [record.ErrKey].
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
