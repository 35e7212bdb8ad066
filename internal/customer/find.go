package customer

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/record"
	"onlyonce/internal/record/search"
)

// Filter selects either archived customers or the others.
type Filter struct {
	Search   string // prefixes of words in the name, email, tax ID, contact, reference or address, which must all match
	Archived bool
	Sort     string // "name", "-name", or "" for the newest first
}

var words = search.Words{Table: "customer_words", ID: "customer_id", First: "customer_id", FirstOf: "id"}

// List returns a page of customers, or [record.ErrKey].
func List(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, f Filter, page record.Page) (record.List[Customer], error) {
	where := `r.archived_at IS NULL`
	if f.Archived {
		where = `r.archived_at IS NOT NULL AND r.merged_into IS NULL AND NOT r.taken_back`
	}
	if f.Search == "" && f.Sort == "" {
		return record.ListBy(ctx, pool, Table, tenant, page, where, nil)
	}
	id := search.Column{Name: "id", Type: "uuid"}
	query := search.Query[Customer]{
		Table: Table.Name, Shown: Table.JSON(), Where: where, Args: pgx.NamedArgs{},
		Order: search.Order{Columns: [2]search.Column{id, id}, Descending: true},
	}
	if f.Sort != "" { // each list has its index
		query.Range, query.Order.Descending = where, f.Sort == "-name"
		query.Order.Columns[0] = search.Column{Name: "name_folded", Type: "text"}
	}
	if f.Search != "" {
		terms, err := words.Terms(ctx, pool, tenant, f.Search)
		if err != nil || len(terms) == 0 {
			return record.List[Customer]{}, err
		}
		query.Terms, query.Words = terms, words
	}
	return query.List(ctx, pool, tenant, page)
}

// Offered is a customer in the choice of a form.
type Offered struct {
	ID          uuid.UUID
	Email       string
	Name        string
	Address     string
	Country     string
	PaymentDays string // "" if the settings apply
}

// Offer returns the newest customers that are not archived, or that a search finds, and the chosen one, if any.
func Offer(ctx context.Context, pool *pgxpool.Pool, tenant, chosen uuid.UUID, search string) ([]Offered, error) {
	ids := `
		SELECT id FROM customers
		WHERE tenant_id = @tenant_id AND id < @last AND archived_at IS NULL ORDER BY id DESC LIMIT 200`
	args := pgx.NamedArgs{"chosen": chosen, "last": uuid.Max}
	if search != "" {
		found, err := List(ctx, pool, tenant, Filter{Search: search}, record.Page{Limit: 100})
		if err != nil {
			return nil, err
		}
		var matches []uuid.UUID
		for _, c := range found.Rows {
			matches = append(matches, c.ID)
		}
		ids, args = `SELECT unnest(@matches::uuid[])`, pgx.NamedArgs{"chosen": chosen, "matches": record.IDs(matches)}
	}
	return record.Collect(ctx, pool, tenant, pgx.RowToStructByPos[Offered], `
		SELECT c.id, c.email, c.name, c.address, c.country, c.days
		FROM ((`+ids+`) UNION SELECT @chosen::uuid) AS wanted (id), LATERAL (
			SELECT id, COALESCE(email, '') AS email, name, address, country, COALESCE(payment_days::text, '') AS days FROM customers
			WHERE tenant_id = @tenant_id AND id = wanted.id LIMIT 1) AS c
		ORDER BY c.id DESC`, args)
}
