package idempotency

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/record"
)

// Expire erases the expired results of a tenant, as [record.Expire] does, and deletes the expired likenesses. The intents are kept for
// life. Replicas skip the rows that another one has locked.
func Expire(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID) (erased int64, err error) {
	erased, err = record.Expire(ctx, pool, tenant, `
		UPDATE intents SET result = NULL
		WHERE tenant_id = @tenant_id AND ctid = ANY (ARRAY(
			SELECT ctid FROM intents
			WHERE tenant_id = @tenant_id AND expires_at < now() AND result IS NOT NULL
			ORDER BY expires_at LIMIT @batch
			FOR UPDATE SKIP LOCKED))`, pgx.NamedArgs{})
	if err != nil {
		return erased, fmt.Errorf("expire results: %w", err)
	}
	if _, err := record.Expire(ctx, pool, tenant, `
		DELETE FROM likenesses
		WHERE tenant_id = @tenant_id AND ctid = ANY (ARRAY(
			SELECT ctid FROM likenesses
			WHERE tenant_id = @tenant_id AND expires_at < now()
			ORDER BY expires_at LIMIT @batch
			FOR UPDATE SKIP LOCKED))`, pgx.NamedArgs{}); err != nil {
		return erased, fmt.Errorf("expire likenesses: %w", err)
	}
	return erased, nil
}
