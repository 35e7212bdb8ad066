package lab

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/invoice/schedule"
	"onlyonce/internal/postgres"
)

// lockThisYear is [lockNumbers] for invoices of this year.
const lockThisYear = `SELECT pg_advisory_xact_lock(invoice_series_lock(id, extract(year FROM now())::integer)) FROM tenants`

func twoClocks() script {
	today := time.Now().UTC().Format(time.DateOnly)
	clock := func(who string) lane { return lane{who: who, method: job, path: schedule.Job{}.Kind()} }
	return ofInvoices(script{
		replicas: 2, env: []string{"IDEMPOTENCY_WAIT=15s"}, // a clock looks for jobs once a second
		lanes: []lane{clock("Clock of server 1"), clock("Clock of server 2"), {
			who: "Ada, by hand", intent: 1, method: http.MethodPost, path: schedulesPath + "/{id}/periods",
			body: `{"period": "` + today + `"}`,
		}},
		play: func(ctx context.Context, s *stage) error {
			// A clockwork that finds the schedule due waits before its invoice gets a number.
			lock, err := s.lock(ctx, lockThisYear)
			if err != nil {
				return err
			}
			defer lock.Rollback(context.WithoutCancel(ctx))
			if err := s.prepare(ctx, lane{method: http.MethodPost, path: schedulesPath, body: `{
				"customer_id": "` + customerID + `", "currency": "EUR", "every": "1", "unit": "month", "first_day": "` + today + `",
				"bill_as": "issued", "missed": "each",
				"lines": [{"description": "Support", "quantity": "1", "unit_price": "100.00", "tax_rate": "23"}]}`}); err != nil {
				return err
			}
			_, err = s.admin.Exec(ctx, `
				INSERT INTO `+postgres.JobSchema+`.river_job (kind, queue, max_attempts, args)
				SELECT $1, $2, 1, '{}' FROM generate_series(1, 2)`, schedule.Job{}.Kind(), schedule.Queue)
			if err != nil {
				return fmt.Errorf("let two clocks strike: %w", err)
			}
			if err := s.waiters(ctx, 2); err != nil {
				return err
			}
			if err := s.oneByOne(ctx, lock, 2, 2); err != nil {
				return err
			}
			return errors.Join(s.noteClock(ctx, 0), s.noteClock(ctx, 1))
		},
	})
}

const schedulesPath = "/api/v1/schedules"

// noteClock records the attempt of a server's clock. It reads it from the kept attempts, because a clock has no answer.
func (s *stage) noteClock(ctx context.Context, n int) error {
	var (
		outcome, key, record string
		at                   time.Time
		took                 int64 // microseconds
	)
	err := until(ctx, func(ctx context.Context) (bool, error) {
		err := s.admin.QueryRow(ctx, `
			SELECT outcome, key, record_id::text, at, duration FROM attempts WHERE actor = 'schedule' AND replica = $1`, nameOf(n),
		).Scan(&outcome, &key, &record, &at, &took)
		if errors.Is(err, pgx.ErrNoRows) {
			return false, nil
		}
		return err == nil, err
	})
	if err != nil {
		return fmt.Errorf("wait for the attempt of %s: %w", nameOf(n), err)
	}
	a := answer{outcome: outcome, mark: record, says: "The period was billed."}
	switch outcome {
	case string(idempotency.Replayed):
		a.stop, a.says = intent, "The other clock has carried out this intent, whose key both make of the schedule and the day."
	case string(idempotency.Reused):
		a.stop, a.says = uniquePeriod, "The period was billed already."
	}
	took = max(took, 1)
	began := float64(at.Sub(s.began).Microseconds()-took) / 1000
	s.run.update(func(r *Result) { r.Sides[s.side].Attempts[n].Key = short(key) })
	s.note(n, began, float64(took)/1000, a)
	return nil
}
