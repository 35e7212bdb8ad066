package schedule

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"onlyonce/internal/conflict"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/invalid"
	"onlyonce/internal/postgres"
)

// The limits of a run. The next run continues.
const (
	perRound = 100 // schedules, each billed for one period
	rounds   = 10
)

// retry is the pause after a schedule could not be billed.
const retry = time.Hour

// Clockwork bills the periods that are due. Replicas may run it concurrently, each with its own clock.
type Clockwork struct {
	Store *idempotency.Store
	// Now returns the current time.
	Now func() time.Time
}

// Run bills the due periods of a tenant, each once. A failure is stored with its schedule, and does not keep other schedules from being
// billed. If the database can't be queried, Run returns that error, and the next run continues. Otherwise it returns the first error that
// the tenant can't correct.
func (c Clockwork) Run(ctx context.Context, tenant uuid.UUID) error {
	var unexplained error
	for range rounds {
		now := c.Now()
		found, err := due(ctx, c.Store.Pool, tenant, now, perRound)
		if err != nil {
			return err
		}
		if len(found) == 0 {
			break
		}
		for _, f := range found {
			s := f.Schedule
			period, is := s.Due(f.Today)
			if !is {
				continue // the row is older than the schedule
			}
			failed, err := c.bill(ctx, tenant, Billing{s.ID, period}, now)
			if err != nil {
				return err
			}
			if unexplained == nil {
				unexplained = failed
			}
		}
	}
	return unexplained
}

// bill bills a period. It stores the reason of a failure, and returns it as unexplained if the tenant can't correct it. It returns err if
// the database can't be queried.
func (c Clockwork) bill(ctx context.Context, tenant uuid.UUID, b Billing, now time.Time) (unexplained, err error) {
	key, err := idempotency.ParseKey(fmt.Sprintf("schedule %s %s", b.ScheduleID, b.Period)) // the same on each replica and in each attempt
	if err != nil {
		return nil, err
	}
	_, failed := BillDue.Do(ctx, c.Store, idempotency.Intent{Tenant: tenant, Key: key, Actor: "schedule"}, b)
	switch {
	case failed == nil, changedMeanwhile(failed):
		return nil, nil
	case idempotency.Transient(failed):
		return nil, failed
	}
	why, explained := idempotency.Refusal(failed)
	if !explained {
		why = "It couldn't be billed. The server's log has the reason."
	}
	err = postgres.InTenant(ctx, c.Store.Pool, tenant, func(tx pgx.Tx) error { return noteFailure(ctx, tx, tenant, b, now, why) })
	if explained {
		return nil, err
	}
	return failed, err
}

// changedMeanwhile reports whether a period was not billed because the schedule was changed since it was read.
func changedMeanwhile(err error) bool {
	refused, isConflict := errors.AsType[*conflict.Error](err)
	wrong, isWrong := errors.AsType[*invalid.Error](err)
	return isConflict && refused.Kind == &Stopped || isWrong && wrong.Fields[0].Pointer == "/period"
}

// Queue is the name of the clock's queue.
const Queue = "schedules"

// Tick is the interval of the clock, and the time limit of a run.
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
