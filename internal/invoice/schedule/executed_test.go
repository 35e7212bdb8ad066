package schedule_test

import (
	"context"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/invoice/schedule"
	"onlyonce/internal/must"
)

// TestExecutedSQL compares testdata with the statements that PostgreSQL executes.
func TestExecutedSQL(t *testing.T) {
	b := setup(t)
	other := b.create("other", b.monthly())
	sql := b.Executed()
	s := storetest.Execute(sql, "", schedule.Create, uuid.Nil, 0, b.draft(b.monthly()))
	in := b.monthly()
	in.Notes = "Thank you."
	s = storetest.Execute(sql, "", schedule.Edit, s.ID, s.Version, b.draft(in))
	command, err := schedule.BillInput{Period: "2090-01-31"}.Billing(s)
	must.OK(t, err)
	period := storetest.Execute(sql, "", schedule.Bill, uuid.Nil, 0, command)
	for _, into := range []idempotency.Operation[struct{}, schedule.Schedule]{
		schedule.Pause, schedule.Resume, schedule.Archive, schedule.Restore,
	} {
		storetest.Execute(sql, "", into, s.ID, 0, struct{}{})
	}
	sql.Section("bill_due", "schedule.bill_due by the clock, on a day with a due period", func() error {
		return b.clockwork(b.Store, "2090-02-01").Run(t.Context(), b.Tenant)
	})
	storetest.Pages(sql, "schedules", storetest.By(schedule.List, false))
	storetest.List(sql, "archived schedules", storetest.By(schedule.List, true))
	storetest.List(sql, "periods of a schedule", storetest.By(schedule.PeriodsOf, s.ID))
	storetest.Record(sql, "schedule", schedule.Table, other.ID)
	sql.Lookup("schedule that billed an invoice", func(ctx context.Context, pool *pgxpool.Pool) error {
		_, _, err := schedule.Billed(ctx, pool, b.Tenant, period.ID)
		return err
	})
}
