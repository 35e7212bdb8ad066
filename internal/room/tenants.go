package room

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"

	"onlyonce/internal/people/account"
)

// EachTenant is the worker of a job without arguments that runs for each tenant.
type EachTenant[J river.JobArgs] struct {
	river.WorkerDefaults[J]

	Pool  *pgxpool.Pool
	Log   *slog.Logger
	Limit time.Duration // of a run for all tenants
	// Run does the work for a tenant, by operations whose keys are the same in each attempt. The time is that of the job.
	Run func(ctx context.Context, tenant uuid.UUID, at time.Time) error
}

// ErrNotAll is the only error that River gets, because River stores errors in a table that row-level security does not protect.
var ErrNotAll = errors.New("the job failed for some tenants")

// Timeout returns the time limit of a run.
func (w *EachTenant[J]) Timeout(*river.Job[J]) time.Duration { return w.Limit }

// Work runs the job, tenant by tenant. A tenant for which it fails is logged, and does not keep the following ones from being served. If
// there are any, Work returns [ErrNotAll].
func (w *EachTenant[J]) Work(ctx context.Context, job *river.Job[J]) error {
	tenants, err := account.Tenants(ctx, w.Pool)
	if err != nil {
		return err
	}
	for _, tenant := range tenants {
		if failed := w.Run(ctx, tenant, job.CreatedAt); failed != nil {
			w.Log.WarnContext(ctx, "the next run does what is left", "job", job.Kind, "tenant", tenant, "error", failed)
			err = ErrNotAll
		}
	}
	return err
}
