package invoiceroom

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/riverqueue/river"

	"onlyonce/internal/invoice/mail"
	"onlyonce/internal/invoice/reminder"
	"onlyonce/internal/invoice/schedule"
	"onlyonce/internal/room"
)

// addJobs adds the jobs that send mails about invoices, the job that bills due periods by the clock of this machine, and the job that sends
// due reminders.
func addJobs(jobs room.Jobs) error {
	mails, err := mail.NewWorker(jobs.Mails)
	if err != nil {
		return err
	}
	river.AddWorker(jobs.River.Workers, mails)
	clockwork := schedule.Clockwork{Store: jobs.Store, Now: time.Now}
	river.AddWorker(jobs.River.Workers, &room.EachTenant[schedule.Job]{
		Pool: jobs.Store.Pool, Log: jobs.Log, Limit: schedule.Tick,
		Run: func(ctx context.Context, tenant uuid.UUID, _ time.Time) error { return clockwork.Run(ctx, tenant) },
	})
	jobs.River.Queues[schedule.Queue] = river.QueueConfig{MaxWorkers: 1}
	river.AddWorker(jobs.River.Workers, &room.EachTenant[reminder.Job]{
		Pool: jobs.Store.Pool, Log: jobs.Log, Limit: reminder.Tick,
		Run: func(ctx context.Context, tenant uuid.UUID, _ time.Time) error {
			return reminder.SendDue(ctx, jobs.Store, tenant)
		},
	})
	jobs.River.Queues[reminder.Queue] = river.QueueConfig{MaxWorkers: 1}
	jobs.River.PeriodicJobs = append(jobs.River.PeriodicJobs, schedule.Periodic(), reminder.Periodic())
	return nil
}
