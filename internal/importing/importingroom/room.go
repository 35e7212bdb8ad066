// Package importingroom adds the jobs of imports to the app.
package importingroom

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"

	"onlyonce/internal/importing"
	"onlyonce/internal/people/business"
	"onlyonce/internal/room"
)

// Room returns the jobs of imports of some kinds, and deletes the files of old imports. In a copy of a business, an unfinished import is
// stopped.
func Room(kinds ...*importing.Kind) room.Room {
	return room.Room{
		Jobs: func(jobs room.Jobs) error {
			river.AddWorker(jobs.River.Workers, &importing.Worker{Store: jobs.Store, Log: jobs.Log, Kinds: kinds})
			jobs.River.Queues[importing.Queue] = river.QueueConfig{MaxWorkers: 2}
			return nil
		},
		Expire: func(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID) error {
			return importing.Expire(ctx, pool, tenant, time.Now().Add(-importing.Keep))
		},
		Copies: business.Part{Settle: []string{`
			UPDATE imports i SET state = 'stopped'
			WHERE tenant_id = $1 AND state = 'running' AND row_count > (
				SELECT COALESCE(sum(created + known + left_out + more), 0) FROM import_chunks c
				WHERE c.tenant_id = i.tenant_id AND c.import_id = i.id)`}},
	}
}
