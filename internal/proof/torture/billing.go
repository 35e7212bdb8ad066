package torture

import (
	"context"
	"maps"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"

	"onlyonce/internal/postgres/server"
)

const schedulesPath = "/api/v1/schedules"

// missedWeeks is the number of periods of a new schedule that are due.
const missedWeeks = 4

// bill creates a schedule with due periods, which the clocks of both replicas bill. Meanwhile it bills the same periods by hand,
// and pauses, resumes and edits the schedule.
func (p *programs) bill(ctx context.Context, tenant, n int) {
	key := p.named("bill", n)
	customer := p.send(ctx, wish{tenant: tenant, operation: "customer.upsert", key: key, path: customersPath, body: map[string]any{
		"email": key + "@example.com", "name": key,
	}}, n)
	if !customer.ok() {
		return
	}
	today := time.Now().UTC()
	body := map[string]any{
		"customer_id": customer.ID, "currency": "EUR", "notes": "as it was made", "every": "1", "unit": "week", "missed": "each",
		"first_day": today.AddDate(0, 0, -7*missedWeeks).Format(time.DateOnly), "last_day": today.Format(time.DateOnly),
		"bill_as": [2]string{"issued", "draft"}[n%2],
		"lines":   []map[string]string{{"description": "Support", "quantity": "1.5", "unit_price": "33.33", "tax_rate": "23"}},
	}
	made := p.twice(ctx, wish{tenant: tenant, operation: "schedule.create", key: key, path: schedulesPath, body: body})
	if !made.ok() {
		return
	}
	at := schedulesPath + "/" + made.ID
	var all []func()
	for week := range missedWeeks + 1 {
		day := today.AddDate(0, 0, -7*week).Format(time.DateOnly)
		for sender := range 2 {
			all = append(all, func() {
				p.send(ctx, wish{
					tenant: tenant, operation: "schedule.bill", key: key + "-" + day + "-" + tokens[sender], path: at + "/periods",
					body: map[string]any{"period": day}, refusals: []string{"schedule-stopped"},
				}, sender)
			})
		}
	}
	all = append(all, func() {
		p.twice(ctx, wish{tenant: tenant, operation: "schedule.pause", key: key, path: at + "/pause"})
		p.twice(ctx, wish{tenant: tenant, operation: "schedule.resume", key: key, path: at + "/resume"})
	}, func() {
		edited := maps.Clone(body)
		edited["notes"] = "as it was edited"
		p.twice(ctx, wish{
			tenant: tenant, operation: "schedule.edit", key: key, method: http.MethodPut, path: at, body: edited, seen: made.Version,
			refusals: []string{"changed-meanwhile"},
		})
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
}
