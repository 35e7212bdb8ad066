package torture

import (
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/jackc/pgx/v5"

	"onlyonce/internal/postgres/server"
)

const schedulesPath = "/api/v1/schedules"

// missedWeeks is the number of periods of a new schedule that are due.
const missedWeeks = 4

// bill creates a schedule with due periods, which the clocks of both replicas bill. Meanwhile it bills the same periods by hand,
// and pauses, resumes and edits the schedule.
func (t turn) bill(ctx context.Context) {
	customer := t.customer(ctx, "")
	if !customer.ok() {
		return
	}
	today := time.Now().UTC()
	body := map[string]any{
		"customer_id": customer.ID, "currency": "EUR", "notes": "as it was made", "every": "1", "unit": "week", "missed": "each",
		"first_day": today.AddDate(0, 0, -7*missedWeeks).Format(time.DateOnly), "last_day": today.Format(time.DateOnly),
		"bill_as": [2]string{"issued", "draft"}[t.n%2],
		"lines":   []map[string]string{{"description": "Support", "quantity": "1.5", "unit_price": "33.33", "tax_rate": "23"}},
	}
	made := t.twice(ctx, t.wish("schedule.create", "", schedulesPath, body))
	if !made.ok() {
		return
	}
	at := schedulesPath + "/" + made.ID
	var all []func()
	for week := range missedWeeks + 1 {
		day := map[string]any{"period": today.AddDate(0, 0, -7*week).Format(time.DateOnly)}
		for sender := range 2 {
			key := fmt.Sprint("-", day["period"], "-", tokens[sender])
			all = append(all, func() {
				t.send(ctx, t.wish("schedule.bill", key, at+"/periods", day, "schedule-stopped"), sender)
			})
		}
	}
	all = append(all, func() {
		t.twice(ctx, t.wish("schedule.pause", "", at+"/pause", nil))
		t.twice(ctx, t.wish("schedule.resume", "", at+"/resume", nil))
	}, func() {
		edited := maps.Clone(body)
		edited["notes"] = "as it was edited"
		t.twice(ctx, t.wish("schedule.edit", "", at, edited, "changed-meanwhile").from(made.Version))
	})
	atOnce(all...)
}

// tick inserts jobs that bill schedules and send reminders, one of each for each replica. River itself inserts one for both. It does
// nothing if a database is down, or if the earlier jobs are not done.
func (w *world) tick(ctx context.Context) {
	conn, err := w.admin(ctx)
	if err == nil {
		tick(ctx, conn)
	}
	if cells := w.cells(); cells != nil {
		if conn, err = server.Connect(ctx, cells.Admin); err == nil {
			tick(ctx, conn)
		}
	}
}

func tick(ctx context.Context, conn *pgx.Conn) {
	defer conn.Close(context.WithoutCancel(ctx))
	_, _ = conn.Exec(ctx, `
		INSERT INTO river.river_job (kind, queue, args, max_attempts)
		SELECT kind, kind AS queue, '{}', 1 FROM unnest(ARRAY['schedules', 'reminders']) AS kind, generate_series(1, 2)
		WHERE (SELECT count(*) FROM river.river_job j WHERE j.kind = kind.kind AND state = 'available') < 4`)
	takeImportsOver(ctx, conn)
}
