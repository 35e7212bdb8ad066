package schedule

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/riverqueue/river"
)

// Queue is the name of the clock's queue.
const Queue = "schedules"

// Tick is the interval of the clock.
const Tick = time.Minute

// Job runs the clockwork once for all tenants.
type Job struct{}

// Kind returns the name of the job.
func (Job) Kind() string { return "schedules" }

// InsertOpts returns options with which one replica gets the job of each minute. A failed job is not tried again, because the next one
// does its work.
func (Job) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: Queue, MaxAttempts: 1, UniqueOpts: river.UniqueOpts{ByPeriod: Tick}}
}

// Periodic inserts the job of each minute, on River's leader.
func Periodic() *river.PeriodicJob {
	return river.NewPeriodicJob(river.PeriodicInterval(Tick), func() (river.JobArgs, *river.InsertOpts) { return Job{}, nil },
		&river.PeriodicJobOpts{RunOnStart: true})
}

// Worker carries out the jobs of the clock.
type Worker struct {
	river.WorkerDefaults[Job]
	Clockwork

	// Tenants returns all tenants.
	Tenants func(context.Context) ([]uuid.UUID, error)
	// Observe is called with the error of a run for a tenant.
	Observe func(context.Context, uuid.UUID, error)
}

// Timeout returns the time limit of a run.
func (*Worker) Timeout(*river.Job[Job]) time.Duration { return Tick }

// ErrNotAll is the only error that River gets, because River stores errors in a table that row-level security does not protect.
var ErrNotAll = errors.New("not all tenants could be billed")

// Work bills the due periods, tenant by tenant.
func (w *Worker) Work(ctx context.Context, _ *river.Job[Job]) error {
	tenants, err := w.Tenants(ctx)
	if err != nil {
		return err
	}
	for _, tenant := range tenants {
		if failed := w.Run(ctx, tenant); failed != nil {
			w.Observe(ctx, tenant, failed)
			err = ErrNotAll
		}
	}
	return err
}
