package invoiceroom

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/riverqueue/river"

	"onlyonce/internal/invoice/mail"
	"onlyonce/internal/invoice/schedule"
	"onlyonce/internal/people/account"
	"onlyonce/internal/room"
)

// addJobs adds the jobs that send mails about invoices, and the job that bills due periods by the clock of this machine.
func addJobs(jobs room.Jobs) error {
	mails, err := mail.NewWorker(jobs.Mails)
	if err != nil {
		return err
	}
	river.AddWorker(jobs.River.Workers, mails)
	river.AddWorker(jobs.River.Workers, &schedule.Worker{
		Clockwork: schedule.Clockwork{Store: jobs.Store, Now: time.Now},
		Tenants:   func(ctx context.Context) ([]uuid.UUID, error) { return account.Tenants(ctx, jobs.Store.Pool) },
		Observe: func(ctx context.Context, tenant uuid.UUID, err error) {
			jobs.Log.WarnContext(ctx, "the next run bills what is left", "tenant", tenant, "error", err)
		},
	})
	jobs.River.Queues[schedule.Queue] = river.QueueConfig{MaxWorkers: 1}
	jobs.River.PeriodicJobs = append(jobs.River.PeriodicJobs, schedule.Periodic())
	return nil
}
