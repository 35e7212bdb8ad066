package installation

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"

	"onlyonce/internal/postgres"
	"onlyonce/internal/record"
)

// Job is a job that failed.
type Job struct {
	ID          int64
	Kind        string
	State       rivertype.JobState
	Attempt     int
	MaxAttempts int
	Due         time.Time // time of the next attempt, or of the last one
	Error       string    // the beginning of the first line of the last error
	Tenant      string    // name of the tenant, or "" for a job of no tenant
	Queue       string
	Priority    int
}

// Identity returns no id, because those of jobs are numbers, and 1.
func (Job) Identity() (id uuid.UUID, version int) { return uuid.Nil, 1 }

// MayRetry reports whether [Retry] makes a job run. A canceled job would do nothing: its mail is no longer queued.
func (j Job) MayRetry() bool {
	return j.State == rivertype.JobStateRetryable || j.State == rivertype.JobStateDiscarded
}

// Jobs returns a page of the jobs that wait for another attempt, have failed, or were canceled because their mail can't be sent. They are
// ordered by queue, and newest first in each. The error may be [record.ErrKey].
func Jobs(ctx context.Context, pool *pgxpool.Pool, page record.Page) (record.List[Job], error) {
	behind, order, args := `true`, `DESC`, pgx.NamedArgs{}
	if page.From != (record.Key{}) {
		var priority int16
		var id int64
		var at time.Time
		var text string
		_, err := fmt.Sscan(page.From[1], &priority, &text, &id)
		if err == nil {
			at, err = time.Parse(time.RFC3339Nano, text)
		}
		if err != nil {
			return record.List[Job]{}, record.ErrKey
		}
		args = pgx.NamedArgs{"queue": page.From[0], "priority": priority, "at": at, "id": id}
		behind = `(queue, priority, scheduled_at, id) < (@queue, @priority, @at, @id)`
		if page.Back {
			behind, order = `(queue, priority, scheduled_at, id) > (@queue, @priority, @at, @id)`, `ASC`
		}
	}
	by := ` ORDER BY queue ` + order + `, priority ` + order + `, scheduled_at ` + order + `, id ` + order
	return list(ctx, pool, page, `
		SELECT id, kind, state::text, attempt, max_attempts, scheduled_at,
			COALESCE(left(split_part(errors[cardinality(errors)]->>'error', E'\n', 1), 200), ''),
			COALESCE((
				SELECT name FROM tenants
				WHERE tenants.id =
					CASE WHEN args->>'tenant' ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN (args->>'tenant')::uuid END), ''),
			queue, priority
		FROM unnest(ARRAY['retryable', 'discarded', 'cancelled']::river.river_job_state[]) AS s (wanted) CROSS JOIN LATERAL (
			SELECT id, kind, state, attempt, max_attempts, scheduled_at, errors, args, queue, priority
			FROM river.river_job WHERE state = s.wanted AND `+behind+by+` LIMIT `+record.MaxRows+`) AS j`+
		by+` LIMIT @limit`, args, func(j Job) record.Key {
		return record.Key{j.Queue, fmt.Sprintf("%d %s %d", j.Priority, j.Due.Format(time.RFC3339Nano), j.ID)}
	})
}

// Retry makes a job run again now, whose given attempt has failed, and reports whether it did. A repeat changes nothing: the job doesn't
// wait any more, or has begun another attempt. River alone would run a job again that was completed meanwhile.
func Retry(ctx context.Context, pool *pgxpool.Pool, id int64, attempt int) (retried bool, err error) {
	jobs, err := river.NewClient(riverpgxv5.New(pool), &river.Config{
		Schema: postgres.JobSchema, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return false, fmt.Errorf("retry job: %w", err)
	}
	err = pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		err := tx.QueryRow(ctx, `
			SELECT FROM river.river_job
			WHERE id = $1 AND attempt = $2 AND state IN ('retryable', 'discarded') FOR UPDATE`, id, attempt).Scan()
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err == nil {
			_, err = jobs.JobRetryTx(ctx, tx, id)
		}
		retried = err == nil
		return err //nolint:wrapcheck // below
	})
	if broken, ok := errors.AsType[*pgconn.PgError](err); ok && broken.Code == "23505" {
		return false, nil // another job does the same work
	}
	if err != nil {
		return false, fmt.Errorf("retry job: %w", err)
	}
	return retried, nil
}
