package schedule

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/record"
	"onlyonce/internal/value/date"
)

// List returns a page of the archived schedules, or of the others.
func List(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, archived bool, page record.Page) (record.List[Schedule], error) {
	where := `r.archived_at IS NULL`
	if archived {
		where = `r.archived_at IS NOT NULL`
	}
	return record.ListBy(ctx, pool, Table, tenant, page, where, nil)
}

// PeriodsOf returns a page of the periods of a schedule, the last one billed first.
func PeriodsOf(ctx context.Context, pool *pgxpool.Pool, tenant, schedule uuid.UUID, page record.Page) (record.List[Period], error) {
	return record.ListBy(ctx, pool, Periods, tenant, page, `r.schedule_id = @schedule`, pgx.NamedArgs{"schedule": schedule})
}

// Billed returns the schedule and the period that billed an invoice, or [record.ErrNotFound] if it was not billed by a schedule.
func Billed(ctx context.Context, pool *pgxpool.Pool, tenant, invoice uuid.UUID) (s Schedule, p Period, err error) {
	if p, err = record.Find(ctx, pool, Periods, tenant, invoice); err == nil {
		s, err = record.Find(ctx, pool, Table, tenant, p.ScheduleID)
	}
	return s, p, err
}

// due returns at most limit schedules that are due at a time, in order of their waiting time. A failed one waits for retry, but not
// longer if the clock was set back.
func due(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, now time.Time, limit int) ([]dueOn, error) {
	return record.Collect(ctx, pool, tenant, pgx.RowToStructByPos[dueOn], `
		SELECT found.schedule, c.today FROM (
			SELECT due_day, schedule_id, today FROM schedule_clocks, (SELECT business_day(@now::timestamptz) AS today) AS clock
			WHERE tenant_id = @tenant_id AND due_day <= today
				AND (failed_at IS NULL OR failed_at <= @now::timestamptz - @retry::interval OR failed_at > @now::timestamptz)
			ORDER BY due_day, schedule_id LIMIT @limit) AS c,
		LATERAL (
			SELECT `+Table.JSON()+` AS schedule FROM schedules r WHERE r.tenant_id = @tenant_id AND r.id = c.schedule_id LIMIT 1) AS found
		ORDER BY c.due_day, c.schedule_id`,
		pgx.NamedArgs{"now": now, "retry": retry, "limit": limit})
}

// dueOn is a schedule that is due on a day of its business.
type dueOn struct {
	Schedule Schedule
	Today    date.Date
}

// noteFailure stores why a period could not be billed, for the page of the schedule.
func noteFailure(ctx context.Context, tx pgx.Tx, tenant uuid.UUID, b Billing, now time.Time, why string) error {
	_, err := tx.Exec(ctx, `
		UPDATE schedule_clocks SET failure = @why, failed_at = @now
		WHERE tenant_id = @tenant_id AND schedule_id = @schedule_id AND next_day <= @period`,
		pgx.NamedArgs{"tenant_id": tenant, "schedule_id": b.ScheduleID, "period": b.Period, "now": now, "why": why})
	return err
}
