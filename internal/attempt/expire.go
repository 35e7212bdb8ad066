package attempt

import (
	"context"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	// ExpireBatch is how many attempts one transaction of [Expire] deletes at most.
	ExpireBatch = 1000

	// expireRest is how long Expire rests after each full batch, as a multiple of what the batch took.
	expireRest = 4
)

// Expire deletes the attempts of a tenant that ended before a moment, in small transactions, until none is left. Any number of
// replicas may run it at once: they delete in the same order, and what one has deleted the others do not find. It gives the number
// of attempts deleted.
func Expire(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, before time.Time) (total int64, err error) {
	for {
		start := time.Now()
		var batch pgx.Batch
		var deleted int64
		batch.Queue(`SELECT set_config('onlyonce.tenant_id', $1::text, true)`, tenant)
		batch.Queue(`
			DELETE FROM attempts WHERE tenant_id = $1 AND ctid = ANY (ARRAY(
				SELECT ctid FROM attempts WHERE tenant_id = $1 AND id < $2 ORDER BY id LIMIT $3))`,
			tenant, firstID(before), ExpireBatch,
		).Exec(func(tag pgconn.CommandTag) error {
			deleted = tag.RowsAffected()
			return nil
		})
		if err := pool.SendBatch(ctx, &batch).Close(); err != nil {
			return total, fmt.Errorf("delete attempts of tenant %s: %w", tenant, err)
		}
		total += deleted
		if deleted < ExpireBatch {
			return total, nil
		}
		select {
		case <-ctx.Done():
			return total, fmt.Errorf("delete attempts of tenant %s: %w", tenant, ctx.Err())
		case <-time.After(expireRest * time.Since(start)):
		}
	}
}

// firstID is the least UUIDv7 of a moment.
func firstID(at time.Time) (id uuid.UUID) {
	binary.BigEndian.PutUint64(id[:], uint64(at.UnixMilli())<<16)
	return id
}
