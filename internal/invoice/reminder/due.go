package reminder

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
	"onlyonce/internal/invoice"
	"onlyonce/internal/record"
	"onlyonce/internal/value/date"
)

// perRound is the number of overdue invoices that are read at once.
const perRound = 100

// SendDue sends the due reminders of a tenant with a plan. Replicas may call it concurrently: each reminder is sent once. The database's
// clock determines the day. A reminder that became impossible meanwhile is skipped.
func SendDue(ctx context.Context, store *idempotency.Store, tenant uuid.UUID) error {
	for _, state := range invoice.OpenStates() {
		for last := (overdue{}); ; {
			found, err := overdueAfter(ctx, store, tenant, state, last)
			if err != nil {
				return err
			}
			for _, o := range found {
				if err := o.send(ctx, store, tenant); err != nil {
					return err
				}
			}
			if len(found) < perRound {
				break
			}
			last = found[len(found)-1]
		}
	}
	return nil
}

// overdue is an overdue invoice, with the level of the reminder that is due, or 0.
type overdue struct {
	ID    uuid.UUID
	Due   date.Date
	Level int
}

// send sends the reminder that is due, if any.
func (o overdue) send(ctx context.Context, store *idempotency.Store, tenant uuid.UUID) error {
	if o.Level == 0 {
		return nil
	}
	key, err := idempotency.ParseKey(fmt.Sprintf("reminder %s %d", o.ID, o.Level)) // the same on each replica and in each attempt
	if err != nil {
		return err
	}
	_, err = Send.Do(ctx, store, idempotency.Intent{Tenant: tenant, Key: key, Actor: "schedule"},
		Draft{InvoiceID: o.ID, Level: o.Level, Message: Message(o.Level), Usual: true})
	if _, refused := errors.AsType[*conflict.Error](err); refused {
		return nil
	}
	return err
}

// overdueAfter returns the next overdue invoices of a state, by due date. It returns none if the tenant has no plan.
func overdueAfter(ctx context.Context, store *idempotency.Store, tenant uuid.UUID, state string, after overdue) ([]overdue, error) {
	return record.Collect(ctx, store.Pool, tenant, pgx.RowToStructByPos[overdue], `
		SELECT r.id, r.due_date, CASE WHEN `+nextDay+` <= today THEN COALESCE(last.level, 0) + 1 ELSE 0 END
		FROM business_day() AS today
			CROSS JOIN LATERAL (
				SELECT first_after, second_after, final_after FROM reminder_plans
				WHERE tenant_id = @tenant_id AND settings_id = @tenant_id LIMIT 1) AS p
			CROSS JOIN LATERAL (
				SELECT id, due_date, bill_to FROM invoices
				WHERE tenant_id = @tenant_id AND state = @state AND due_date < today AND (due_date, id) > (@due::date, @id::uuid)
				ORDER BY due_date, id LIMIT @limit) AS r
			LEFT JOIN LATERAL (
				SELECT level, sent_on FROM invoice_reminders WHERE tenant_id = @tenant_id AND invoice_id = r.id
				ORDER BY level DESC LIMIT 1) AS last ON true
		ORDER BY r.due_date, r.id`,
		pgx.NamedArgs{"state": state, "due": after.Due.String(), "id": after.ID, "limit": perRound})
}

// nextDay is SQL for the day from which a plan p sends the reminder of an invoice r after its last one; NULL for none.
const nextDay = `
			CASE
				WHEN COALESCE(r.bill_to->>'email', '') = '' THEN NULL
				WHEN last.level IS NULL THEN r.due_date + p.first_after
				WHEN last.level = 1 THEN last.sent_on + p.second_after
				WHEN last.level = 2 THEN last.sent_on + p.final_after END`

// Overdue is an overdue invoice, with the day from which its next reminder is sent automatically; zero for none.
type Overdue struct {
	invoice.Summary

	NextOn date.Date `json:"next_on,omitzero"`
}

// Invoices is the table of invoices with their next reminders.
var Invoices = record.Table[Overdue]{Name: invoice.Summaries.Name, Fields: invoice.Summaries.Fields + `, 'next_on', (
	SELECT ` + nextDay + ` FROM (
			SELECT first_after, second_after, final_after FROM reminder_plans
			WHERE tenant_id = r.tenant_id AND settings_id = r.tenant_id LIMIT 1) AS p
		LEFT JOIN LATERAL (
			SELECT level, sent_on FROM invoice_reminders WHERE tenant_id = r.tenant_id AND invoice_id = r.id
			ORDER BY level DESC LIMIT 1) AS last ON true)`}

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
