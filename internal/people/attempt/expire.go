package attempt

import (
	"context"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/record"
)

// MaxKept is the maximum number of attempts of a tenant that each replica keeps within the retention: up to 90 MB with their indexes.
const MaxKept = 100_000

// Expire deletes the attempts of a tenant that ended before a time, and all except for the newest most, as [record.Expire] does. Replicas
// delete in the same order, so they may run at once.
//
// The number of attempts follows from the places of the oldest and the newest, without counting.
func Expire(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, before time.Time, most int) (deleted int64, err error) {
	deleted, err = record.Expire(ctx, pool, tenant, `
		DELETE FROM attempts WHERE tenant_id = @tenant_id AND ctid = ANY (ARRAY(
			SELECT ctid FROM (
				SELECT ctid, id, place FROM attempts WHERE tenant_id = @tenant_id AND id < @max ORDER BY id LIMIT @batch) AS oldest
			WHERE id < @before OR place <= @most_before::bigint + (
				SELECT place FROM attempts WHERE tenant_id = @tenant_id AND id < @max ORDER BY id DESC LIMIT 1)))`,
		pgx.NamedArgs{"before": firstID(before), "most_before": -most, "max": uuid.Max})
	if err != nil {
		return deleted, fmt.Errorf("delete attempts: %w", err)
	}
	return deleted, nil
}

// firstID returns the smallest UUIDv7 of a time.
func firstID(at time.Time) (id uuid.UUID) {
	binary.BigEndian.PutUint64(id[:], uint64(at.UnixMilli())<<16)
	return id
}
