package record

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
	// ExpireBatch is the maximum number of rows that one transaction of [Expire] changes.
	ExpireBatch = 1000

	// expireTime limits each batch, so that an unresponsive database does not keep a connection forever.
	expireTime = 30 * time.Second

	// expireRest is the pause after each full batch, as a multiple of the batch's duration, because creates have priority.
	expireRest = 9
)

// Expire runs a statement that deletes or erases at most @batch rows of @tenant_id, in small transactions, until no row is left. Replicas
// may run it concurrently. It returns the number of rows.
func Expire(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, statement string, args pgx.NamedArgs) (total int64, err error) {
	args["tenant_id"], args["batch"] = tenant, ExpireBatch
	for {
		start := time.Now()
		expired, err := expireBatch(ctx, pool, tenant, statement, args)
		if err != nil {
			return total, fmt.Errorf("of tenant %s: %w", tenant, err)
		}
		total += expired
		if expired < ExpireBatch {
			return total, nil
		}
		select {
		case <-ctx.Done():
			return total, fmt.Errorf("of tenant %s: %w", tenant, ctx.Err())
		case <-time.After(expireRest * time.Since(start)):
		}
	}
}

func expireBatch(
	ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, statement string, args pgx.NamedArgs,
) (expired int64, err error) {
	ctx, cancel := context.WithTimeout(ctx, expireTime)
	defer cancel()
	var batch pgx.Batch
	batch.Queue(`SELECT set_config('onlyonce.tenant_id', $1::text, true)`, tenant)
	batch.Queue(statement, args).Exec(func(tag pgconn.CommandTag) error {
		expired = tag.RowsAffected()
		return nil
	})
	return expired, pool.SendBatch(ctx, &batch).Close()
}
