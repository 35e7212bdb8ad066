package schedule

import (
	"time"

	"github.com/riverqueue/river"
)

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
