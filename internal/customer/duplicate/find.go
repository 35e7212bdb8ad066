package duplicate

import (
	"context"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/customer"
	"onlyonce/internal/record"
)

// Customers returns those of some ids, at most [MaxCustomers], that are not merged, oldest first.
func Customers(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, ids []uuid.UUID) ([]customer.Customer, error) {
	list, err := customer.Table.List(ctx, pool, tenant, record.Page{Limit: MaxCustomers},
		`r.id = ANY (@ids::uuid[]) AND r.merged_into IS NULL`, pgx.NamedArgs{"ids": record.IDs(ids)})
	slices.Reverse(list.Rows)
	return list.Rows, err
}

// Reference is how many records of a table refer to a customer.
type Reference struct {
	Customer uuid.UUID
	Table    string
	Count    int // at most one more than MaxRows
}

// ReferencesOf returns what refers to customers and would be moved with them.
func ReferencesOf(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, ids []uuid.UUID) ([]Reference, error) {
	return record.Collect(ctx, pool, tenant, pgx.RowToStructByPos[Reference],
		`SELECT customer_id, table_name, found FROM count_customer_references(@tenant_id, @ids::uuid[], @most)`,
		pgx.NamedArgs{"ids": record.IDs(ids), "most": MaxRows + 1})
}

// Merges returns a page of the merges of a tenant.
func Merges(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, page record.Page) (record.List[Merge], error) {
	return Table.List(ctx, pool, tenant, page, `true`, nil)
}

// MergesInto returns the newest merges of which a customer is the winner and which were not undone, at most ten.
func MergesInto(ctx context.Context, pool *pgxpool.Pool, tenant, winner uuid.UUID) ([]Merge, error) {
	list, err := Table.List(ctx, pool, tenant, record.Page{Limit: 10}, `r.winner_id = @winner AND r.undone_at IS NULL`,
		pgx.NamedArgs{"winner": winner})
	return list.Rows, err
}

// Apart returns a page of what was said of customers who are no duplicates.
func Apart(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, page record.Page) (record.List[Distinction], error) {
	return Distinctions.List(ctx, pool, tenant, page, `true`, nil)
}
