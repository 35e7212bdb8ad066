package importing

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"golang.org/x/sync/errgroup"

	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/people/account"
	"onlyonce/internal/postgres"
	"onlyonce/internal/record"
)

// Queue is the name of the queue of imports.
const Queue = "customer_imports"

// Job is the job of an import. It has only ids, because row-level security does not protect jobs.
type Job struct {
	Tenant uuid.UUID `json:"tenant"`
	Import uuid.UUID `json:"import"`
}

// Kind returns the name under which [Confirm] inserts the job.
func (Job) Kind() string { return "customer_import" }

// InsertOpts returns the options with which [Confirm] inserts the job.
func (Job) InsertOpts() river.InsertOpts { return river.InsertOpts{Queue: Queue, MaxAttempts: 25} }

// Worker carries out imports. Several may run concurrently, also on the same import.
type Worker struct {
	river.WorkerDefaults[Job]

	Store *idempotency.Store
	Log   *slog.Logger
}

const (
	// turn is the time after which a job lets others run, and goes on later.
	turn = time.Minute
	// atOnce is the number of customers that a job creates at the same time: each waits for the disk.
	atOnce = 8
)

// Timeout returns the time limit of an attempt.
func (w *Worker) Timeout(*river.Job[Job]) time.Duration { return 2 * turn }

var (
	// ErrAgain is the only error that River gets, because River stores errors in a table that row-level security does not protect.
	ErrAgain = errors.New("the import is not finished")

	errStopped = errors.New("the import was stopped")
	errTurn    = errors.New("the next turn goes on with the import")
)

// Work imports the rows that are not done, by operations whose keys are the same in each attempt.
func (w *Worker) Work(ctx context.Context, job *river.Job[Job]) error {
	j, begin := job.Args, time.Now()
	i, err := record.Find(ctx, w.Store.Pool, Table, j.Tenant, j.Import)
	if err == nil {
		err = i.scan(ctx, w.Store.Pool, j.Tenant, func(rows []Row) error {
			if time.Since(begin) > turn {
				return errTurn
			}
			return w.do(ctx, j, i, rows)
		})
	}
	switch {
	case err == nil, errors.Is(err, errStopped), errors.Is(err, ErrDeleted):
		return nil
	case errors.Is(err, errTurn):
		return river.JobSnooze(0) //nolint:wrapcheck // River looks for it
	default:
		w.Log.WarnContext(ctx, "the next attempt continues an import", "tenant", j.Tenant, "import", j.Import, "error", err)
		return ErrAgain
	}
}

// progress is the state of an import, and whether a chunk of its rows is done.
type progress struct {
	State   string
	AskedBy string
	Done    bool
}

// do imports the rows of a chunk, unless they are done, and stores their outcome.
func (w *Worker) do(ctx context.Context, j Job, i Import, rows []Row) error {
	now, err := record.One(ctx, w.Store.Pool, j.Tenant, pgx.RowToStructByPos[progress], `
		SELECT i.state, i.asked_by, EXISTS (
			SELECT FROM customer_import_chunks c WHERE c.tenant_id = i.tenant_id AND c.import_id = i.id AND c.line = @line)
		FROM customer_imports i WHERE i.tenant_id = @tenant_id AND i.id = @import`,
		pgx.NamedArgs{"import": i.ID, "line": rows[0].Line})
	switch {
	case err != nil:
		return err
	case now.State != Running:
		return errStopped
	case now.Done:
		return nil
	}
	may, err := account.MayChange(ctx, w.Store.Pool, j.Tenant, now.AskedBy)
	if err == nil {
		err = i.judge(ctx, w.Store.Pool, j.Tenant, rows)
	}
	if err != nil {
		return err
	}
	var group errgroup.Group
	group.SetLimit(atOnce)
	for n := range rows {
		row := &rows[n]
		if row.made || row.Verdict != New && (row.Verdict != Alike || !i.TakesAlike) {
			continue
		}
		if !may {
			row.Verdict, row.Problem = Wrong, now.AskedBy+" may no longer change customers."
			continue
		}
		group.Go(func() error { return w.create(ctx, j, i, now.AskedBy, row) })
	}
	if err := group.Wait(); err != nil {
		return err //nolint:wrapcheck // of create
	}
	return w.store(ctx, j, rows)
}

// create creates the customer of a row in the name of a user. It returns an error if the next attempt has to repeat it.
func (w *Worker) create(ctx context.Context, j Job, i Import, actor string, row *Row) error {
	key, err := idempotency.ParseKey(i.key(row.Line))
	if err != nil {
		return err
	}
	d := row.Draft
	d.SameEmail = true // the verdict is the answer to the question about the email
	done, err := customer.Upsert.Do(ctx, w.Store, idempotency.Intent{Tenant: j.Tenant, Key: key, Actor: actor}, d)
	if idempotency.Transient(err) {
		return err
	}
	outcome := done.Outcome
	if expired, ok := errors.AsType[*idempotency.AlreadyDoneError](err); ok {
		outcome, err = expired.Outcome, nil
	}
	switch problem, explained := idempotency.Refusal(err); {
	case err == nil && outcome == idempotency.Created:
		row.Verdict, row.Problem = New, ""
	case err == nil:
		row.Verdict, row.Problem = Known, ""
	case explained:
		row.Verdict, row.Problem = Wrong, problem
	default:
		row.Verdict, row.Problem = Wrong, "The server couldn't do it. Its log has the reason."
		w.Log.WarnContext(ctx, "a row of an import is refused", "tenant", j.Tenant, "import", j.Import, "line", row.Line, "error", err)
	}
	return nil
}

// store stores the outcome of a chunk, unless another worker has.
func (w *Worker) store(ctx context.Context, j Job, rows []Row) error {
	counts := map[Verdict]int{}
	var lines []int
	var problems []string
	for _, row := range rows {
		counts[row.Verdict]++
		if row.Verdict != New && row.Verdict != Known {
			lines, problems = append(lines, row.Line), append(problems, row.Problem)
		}
	}
	return postgres.InTenant(ctx, w.Store.Pool, j.Tenant, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `
			WITH stored AS (
				INSERT INTO customer_import_chunks (tenant_id, import_id, line, created, known, left_out)
				VALUES (@tenant_id, @import, @line, @created, @known, @left_out)
				ON CONFLICT DO NOTHING RETURNING tenant_id, import_id
			)
			INSERT INTO customer_import_problems (tenant_id, import_id, line, problem)
			SELECT stored.tenant_id, stored.import_id, p.line, p.problem
			FROM stored, unnest(@lines::integer[], @problems::text[]) AS p (line, problem)`,
			pgx.NamedArgs{
				"tenant_id": j.Tenant, "import": j.Import, "line": rows[0].Line, "created": counts[New], "known": counts[Known],
				"left_out": len(lines), "lines": lines, "problems": problems,
			})
		return err
	})
}

// Keep is the time for which files are kept.
const Keep = 30 * 24 * time.Hour

// Expire deletes the files that are older than a time, with the problems of their rows.
func Expire(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, before time.Time) error {
	_, err := record.Expire(ctx, pool, tenant, `
		DELETE FROM customer_import_files
		WHERE tenant_id = @tenant_id AND ctid = ANY (ARRAY(
			SELECT ctid FROM customer_import_files
			WHERE tenant_id = @tenant_id AND created_at < @before
			ORDER BY created_at LIMIT @batch
			FOR UPDATE SKIP LOCKED))`, pgx.NamedArgs{"before": before})
	return err
}
