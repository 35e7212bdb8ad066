package attempt

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/record"
)

// row is a row of the table to be written.
type row struct {
	tenant uuid.UUID

	ID        uuid.UUID           `json:"id"`
	Record    *uuid.UUID          `json:"record_id"`
	At        time.Time           `json:"at"`
	Duration  int64               `json:"duration"`
	Operation string              `json:"operation"`
	Key       *string             `json:"key"`
	Outcome   idempotency.Outcome `json:"outcome"`
	Actor     string              `json:"actor"`
	Reason    string              `json:"reason"`
}

func (r *Recorder) row(id uuid.UUID, a idempotency.Attempt) row {
	it := row{
		tenant: a.Intent.Tenant, ID: id, At: time.Now().UTC(), Duration: a.Duration.Microseconds(), Operation: a.Operation,
		Outcome: a.Outcome, Actor: a.Intent.Actor,
	}
	if a.Err != nil {
		it.Reason = r.config.Reason(a.Err)
	}
	if key := a.Intent.Key.String(); key != "" {
		it.Key = &key
	}
	of := a.Record
	if of == uuid.Nil { // a change has its record, even if it failed
		of = a.Intent.Record
	}
	if of != uuid.Nil && !errors.Is(a.Err, record.ErrNotFound) {
		it.Record = &of
	}
	return it
}

// write stores attempts of any tenants in one transaction and one round trip. It doesn't wait for the disk, so a crash of the server may
// lose the last ones, nor long for a lock.
func (r *Recorder) write(ctx context.Context, all []row) error {
	ctx, cancel := context.WithTimeout(ctx, writing)
	defer cancel()
	of := map[uuid.UUID][]row{}
	for _, a := range all {
		of[a.tenant] = append(of[a.tenant], a)
	}
	var batch pgx.Batch
	batch.Queue(`SELECT set_config('synchronous_commit', 'off', true), set_config('lock_timeout', '1s', true)`)
	for tenant, rows := range of {
		text, err := json.Marshal(rows)
		if err != nil {
			return fmt.Errorf("encode attempts: %w", err)
		}
		batch.Queue(`SELECT set_config('onlyonce.tenant_id', $1::text, true)`, tenant)
		batch.Queue(`
			INSERT INTO attempts (tenant_id, id, record_id, at, duration, operation, key, outcome, actor, reason, replica, place)
			SELECT $1, a.id, a.record_id, a.at, a.duration, a.operation, a.key, a.outcome, a.actor, a.reason, $2,
				COALESCE((SELECT place FROM attempts WHERE tenant_id = $1 AND id < $4 ORDER BY id DESC LIMIT 1), 0)
					+ row_number() OVER (ORDER BY a.id)
			FROM json_to_recordset($3::json) AS a (
				id uuid, record_id uuid, at timestamptz, duration bigint, operation text, key text, outcome text, actor text, reason text)`,
			tenant, r.config.Replica, string(text), uuid.Max)
	}
	if err := r.config.Pool.SendBatch(ctx, &batch).Close(); err != nil {
		return fmt.Errorf("insert attempts: %w", err)
	}
	return nil
}
