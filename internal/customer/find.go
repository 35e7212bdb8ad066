package customer

import (
	"context"
	"errors"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/postgres"
)

// ErrNotFound says that the tenant has no such customer.
var ErrNotFound = errors.New("customer not found")

// shown is what a [Customer] shows, from customers c.
const shown = `'id', c.id, 'email', c.email, 'name', c.name, 'version', c.version, 'created_at', c.created_at`

// Find gives one customer of a tenant, or [ErrNotFound].
func Find(ctx context.Context, pool *pgxpool.Pool, tenant, id uuid.UUID) (Customer, error) {
	found, err := postgres.One(ctx, pool, tenant, pgx.RowTo[Customer], `
		SELECT json_build_object(`+shown+`) FROM customers c WHERE c.tenant_id = @tenant_id AND c.id = @id`,
		pgx.NamedArgs{"id": id})
	if errors.Is(err, pgx.ErrNoRows) {
		return Customer{}, ErrNotFound
	}
	return found, err
}

// List gives at most limit customers, newest first, that are older than the one with the id before;
// [uuid.Max] starts at the newest. The ids are UUIDv7: their order is the order of creation.
func List(ctx context.Context, pool *pgxpool.Pool, tenant, before uuid.UUID, limit int) ([]Customer, error) {
	return postgres.Collect(ctx, pool, tenant, pgx.RowTo[Customer], `
		SELECT json_build_object(`+shown+`) FROM customers c
		WHERE c.tenant_id = @tenant_id AND c.id < @before
		ORDER BY c.id DESC LIMIT @limit`,
		pgx.NamedArgs{"before": before, "limit": limit})
}
