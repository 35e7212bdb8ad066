package app

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/riverqueue/river"

	"onlyonce/internal/invoice/schedule"
	"onlyonce/internal/people/account"
)

// addSchedules adds the job that bills due periods by the clock of this machine.
func (a *App) addSchedules(workers *river.Workers, jobs *river.Config) {
	river.AddWorker(workers, &schedule.Worker{
		Clockwork: schedule.Clockwork{Store: a.store, Now: time.Now},
		Tenants:   func(ctx context.Context) ([]uuid.UUID, error) { return account.Tenants(ctx, a.pool) },
		Observe: func(ctx context.Context, tenant uuid.UUID, err error) {
			a.config.Log.WarnContext(ctx, "the next run bills what is left", "tenant", tenant, "error", err)
		},
	})
	jobs.Queues[schedule.Queue] = river.QueueConfig{MaxWorkers: 1}
	jobs.PeriodicJobs = append(jobs.PeriodicJobs, schedule.Periodic())
}
