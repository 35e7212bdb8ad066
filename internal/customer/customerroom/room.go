// Package customerroom adds the jobs of customers to the app.
package customerroom

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"

	"onlyonce/internal/customer/importing"
	"onlyonce/internal/people/business"
	"onlyonce/internal/room"
)

// Room returns the jobs of customers, and deletes the files of old imports. In a copy of a business, an unfinished import is stopped.
func Room() room.Room {
	return room.Room{
		Jobs: func(jobs room.Jobs) error {
			river.AddWorker(jobs.River.Workers, &importing.Worker{Store: jobs.Store, Log: jobs.Log})
			jobs.River.Queues[importing.Queue] = river.QueueConfig{MaxWorkers: 2}
			return nil
		},
		Expire: func(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID) error {
			return importing.Expire(ctx, pool, tenant, time.Now().Add(-importing.Keep))
		},
		Copies: business.Part{Settle: []string{`
			UPDATE customer_imports i SET state = 'stopped'
			WHERE tenant_id = $1 AND state = 'running' AND row_count > (
				SELECT COALESCE(sum(created + known + left_out), 0) FROM customer_import_chunks c
				WHERE c.tenant_id = i.tenant_id AND c.import_id = i.id)`}},
	}
}
