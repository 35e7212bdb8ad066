package reminder

import (
	"time"

	"github.com/riverqueue/river"
)

// Queue is the name of the queue of automatic reminders.
const Queue = "reminders"

// Tick is the interval at which reminders are sent automatically, and the time limit of a run.
const Tick = time.Hour

// Job sends the reminders that are due, for all tenants.
type Job struct{}

// Kind returns the name of the job.
func (Job) Kind() string { return "reminders" }

// InsertOpts returns options with which one replica gets the job of each hour. A failed job is not tried again, because the next one does
// its work.
func (Job) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: Queue, MaxAttempts: 1, UniqueOpts: river.UniqueOpts{ByPeriod: Tick}}
}

// Periodic inserts the job of each hour, on River's leader.
func Periodic() *river.PeriodicJob {
	return river.NewPeriodicJob(river.PeriodicInterval(Tick), func() (river.JobArgs, *river.InsertOpts) { return Job{}, nil },
		&river.PeriodicJobOpts{RunOnStart: true})
}
