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

// Customers returns the customers with the ids, at most [MaxCustomers], oldest first, without merged ones.
func Customers(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, ids []uuid.UUID) ([]customer.Customer, error) {
	list, err := record.ListBy(ctx, pool, customer.Table, tenant, record.Page{Limit: MaxCustomers},
		`r.id = ANY (@ids::uuid[]) AND r.merged_into IS NULL`, pgx.NamedArgs{"ids": record.IDs(ids)})
	slices.Reverse(list.Rows)
	return list.Rows, err
}

// Reference is the number of records of a table that refer to a customer.
type Reference struct {
	Customer uuid.UUID
	Table    string
	Count    int // at most MaxRows + 1
}

// ReferencesOf returns the numbers of records that refer to customers and that a merge would move.
func ReferencesOf(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, ids []uuid.UUID) ([]Reference, error) {
	return record.Collect(ctx, pool, tenant, pgx.RowToStructByPos[Reference],
		`SELECT customer_id, table_name, found FROM count_customer_references(@tenant_id, @ids::uuid[], @most)`,
		pgx.NamedArgs{"ids": record.IDs(ids), "most": MaxRows + 1})
}

// Merges returns a page of the merges of a tenant.
func Merges(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, page record.Page) (record.List[Merge], error) {
	return record.ListBy(ctx, pool, Table, tenant, page, `true`, nil)
}

// MergesInto returns the newest merges into a customer that were not undone, at most ten.
func MergesInto(ctx context.Context, pool *pgxpool.Pool, tenant, winner uuid.UUID) ([]Merge, error) {
	list, err := record.ListBy(ctx, pool, Table, tenant, record.Page{Limit: 10}, `r.winner_id = @winner AND r.undone_at IS NULL`,
		pgx.NamedArgs{"winner": winner})
	return list.Rows, err
}

// Apart returns a page of the distinctions of a tenant.
func Apart(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, page record.Page) (record.List[Distinction], error) {
	return record.ListBy(ctx, pool, Distinctions, tenant, page, `true`, nil)
}
