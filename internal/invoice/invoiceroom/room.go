// Package invoiceroom has the demo data and the jobs of invoices.
package invoiceroom

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"

	"onlyonce/internal/invoice/batch"
	"onlyonce/internal/invoice/duplicate"
	"onlyonce/internal/invoice/mail"
	"onlyonce/internal/invoice/reminder"
	"onlyonce/internal/invoice/schedule"
	"onlyonce/internal/invoice/webhook"
	"onlyonce/internal/record"
	"onlyonce/internal/room"
)

// Room returns the additions of invoices to the app.
func Room() room.Room {
	return room.Room{Demo: demo, Jobs: addJobs, Expire: expire, Duplicates: duplicates, Copies: copies()}
}

// expire deletes the bodies of old events.
func expire(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID) error {
	_, err := webhook.Expire(ctx, pool, tenant, time.Now().Add(-webhook.KeepBody))
	return err
}

// addJobs adds the jobs that send mails about invoices, the jobs of batches, the job that bills due periods by the clock of this machine,
// and the job that sends due reminders.
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
	river.AddWorker(jobs.River.Workers, &batch.Worker{Store: jobs.Store, Log: jobs.Log})
	jobs.River.Queues[batch.Queue] = river.QueueConfig{MaxWorkers: 2}
	jobs.River.PeriodicJobs = append(jobs.River.PeriodicJobs, schedule.Periodic(), reminder.Periodic())
	return nil
}

// duplicates lists the groups of similar invoices.
func duplicates(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, page record.Page) (list record.List[room.Group], err error) {
	found, err := duplicate.List(ctx, pool, tenant, page)
	list.After = found.After
	for _, g := range found.Rows {
		of := g.Invoices[0]
		lines := []string{fmt.Sprintf("%d invoices for %s with the same lines and %s %s, %d days apart",
			g.Count, of.Customer.Name, of.Currency, of.Currency.Format(of.Total), g.Days)}
		for _, i := range g.Invoices {
			lines = append(lines, fmt.Sprintf("  %s  %s  %s  %s", i.ID, i.Number, i.IssueDate, i.Status))
		}
		list.Rows = append(list.Rows, room.Group{JSON: g, Lines: lines})
	}
	return list, err
}
