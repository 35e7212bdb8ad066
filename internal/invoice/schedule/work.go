package schedule

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/riverqueue/river"
)

// Queue is the name of the queue of the clock.
const Queue = "schedules"

// Tick is how often the clock looks for what is due.
const Tick = time.Minute

// Job is one look at all tenants.
type Job struct{}

// Kind names the job.
func (Job) Kind() string { return "schedules" }

// InsertOpts let one replica have the job of each minute. One that failed is not tried again: the next one does its work.
func (Job) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: Queue, MaxAttempts: 1, UniqueOpts: river.UniqueOpts{ByPeriod: Tick}}
}

// Periodic inserts the job of each minute, on the one replica that River has chosen to.
func Periodic() *river.PeriodicJob {
	return river.NewPeriodicJob(river.PeriodicInterval(Tick), func() (river.JobArgs, *river.InsertOpts) { return Job{}, nil },
		&river.PeriodicJobOpts{RunOnStart: true})
}

// Worker carries out the jobs of the clock.
type Worker struct {
	river.WorkerDefaults[Job]
	Clockwork

	// Tenants lists all tenants.
	Tenants func(context.Context) ([]uuid.UUID, error)
	// Observe is told why the run for a tenant ended early.
	Observe func(context.Context, uuid.UUID, error)
}

// Timeout is when River gives a run up.
func (*Worker) Timeout(*river.Job[Job]) time.Duration { return Tick }

// ErrNotAll is all that River is told about a run that ended early: what it is told it keeps in a table that is not guarded by
// row-level security.
var ErrNotAll = errors.New("not all tenants could be billed")

// Work bills what is due, tenant by tenant.
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
