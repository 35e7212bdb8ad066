package postgres

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// InTenant runs work as a tenant, in a transaction that is committed if work returns nil. It is for background work only: requests run
// operations of package idempotency.
func InTenant(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, work func(pgx.Tx) error) error {
	err := pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT set_config('onlyonce.tenant_id', $1::text, true)`, tenant); err != nil {
			return err
		}
		return work(tx)
	})
	if err != nil {
		return fmt.Errorf("work as tenant: %w", err)
	}
	return nil
}
