package idempotency

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	// ExpireBatch is how many results one transaction of [Expire] erases at most.
	ExpireBatch = 1000

	// expireRest is how long Expire rests after each full batch, as a multiple of what the batch took:
	// creates go before cleaning up.
	expireRest = 4
)

// Expire erases the results of a tenant whose retention is over, in small transactions, until none
// is left. The intents stay for life. Any number of replicas may run it at once: what one has locked, the
// others skip. It gives the number of results erased.
func Expire(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID) (int64, error) {
	var total int64
	for {
		start := time.Now()
		var batch pgx.Batch
		var erased int64
		batch.Queue(`SELECT set_config('onlyonce.tenant_id', $1::text, true)`, tenant)
		batch.Queue(`
			UPDATE intents SET result = NULL
			WHERE tenant_id = $1 AND ctid = ANY (ARRAY(
				SELECT ctid FROM intents
				WHERE tenant_id = $1 AND expires_at < now() AND result IS NOT NULL
				ORDER BY expires_at LIMIT $2
				FOR UPDATE SKIP LOCKED))`, tenant, ExpireBatch,
		).Exec(func(tag pgconn.CommandTag) error {
			erased = tag.RowsAffected()
			return nil
		})
		if err := pool.SendBatch(ctx, &batch).Close(); err != nil {
			return total, fmt.Errorf("expire results of tenant %s: %w", tenant, err)
		}
		total += erased
		if erased < ExpireBatch {
			return total, nil
		}
		select {
		case <-ctx.Done():
			return total, fmt.Errorf("expire results of tenant %s: %w", tenant, ctx.Err())
		case <-time.After(expireRest * time.Since(start)):
		}
	}
}
