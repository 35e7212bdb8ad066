package customer

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/record"
)

// List gives a page of the customers that are archived, or of those that are not.
func List(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, page record.Page, archived bool) ([]Customer, error) {
	where := `r.archived_at IS NULL`
	if archived {
		where = `r.archived_at IS NOT NULL`
	}
	return Table.List(ctx, pool, tenant, page, where, nil)
}
