package importing

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"golang.org/x/sync/errgroup"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/people/account"
	"onlyonce/internal/postgres"
	"onlyonce/internal/record"
)

// Queue is the name of the queue of imports.
const Queue = "imports"

// Job is the job of an import. It has only ids, because row-level security does not protect jobs.
type Job struct {
	Tenant uuid.UUID `json:"tenant"`
	Import uuid.UUID `json:"import"`
}

// Kind returns the name under which [Kind.Confirm] inserts the job.
func (Job) Kind() string { return "import" }

// InsertOpts returns the options with which [Kind.Confirm] inserts the job.
func (Job) InsertOpts() river.InsertOpts { return river.InsertOpts{Queue: Queue, MaxAttempts: 25} }

// Worker carries out imports. Several may run concurrently, also on the same import.
type Worker struct {
	river.WorkerDefaults[Job]

	Store *idempotency.Store
	Log   *slog.Logger
	Kinds []*Kind
}

const (
	// turn is the time after which a job lets others run, and goes on later.
	turn = time.Minute
	// atOnce is the number of records that a job creates at the same time: each waits for the disk.
	atOnce = 8
)

// Timeout returns the time limit of an attempt.
func (w *Worker) Timeout(*river.Job[Job]) time.Duration { return 2 * turn }

var (
	// ErrAgain is the only error that River gets, because River stores errors in a table that row-level security does not protect.
	ErrAgain = errors.New("the import is not finished")

	errStopped = errors.New("the import was stopped")
	errTurn    = errors.New("the next turn goes on with the import")
	errNoKind  = errors.New("this program has no such imports")
)

// Work imports the rows that are not done, by operations whose keys are the same in each attempt.
func (w *Worker) Work(ctx context.Context, job *river.Job[Job]) error {
	j, begin := job.Args, time.Now()
	i, err := record.Find(ctx, w.Store.Pool, table, j.Tenant, j.Import)
	at := slices.IndexFunc(w.Kinds, func(k *Kind) bool { return k.Many == i.Kind })
	if err == nil && at < 0 {
		err = errNoKind
	}
	if err == nil {
		k := w.Kinds[at]
		err = k.scan(ctx, w.Store.Pool, j.Tenant, i, func(entries []*Entry) error {
			if time.Since(begin) > turn {
				return errTurn
			}
			return w.do(ctx, k, j.Tenant, i, entries)
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

// progress is the state of an import, and whether a chunk of its entries is done.
type progress struct {
	State   string
	AskedBy string
	Done    bool
}

// do imports the entries of a chunk, unless they are done, and stores their outcome.
func (w *Worker) do(ctx context.Context, k *Kind, tenant uuid.UUID, i Import, entries []*Entry) error {
	now, err := record.One(ctx, w.Store.Pool, tenant, pgx.RowToStructByPos[progress], `
		SELECT i.state, i.asked_by, EXISTS (
			SELECT FROM import_chunks c WHERE c.tenant_id = i.tenant_id AND c.import_id = i.id AND c.line = @line)
		FROM imports i WHERE i.tenant_id = @tenant_id AND i.id = @import`,
		pgx.NamedArgs{"import": i.ID, "line": entries[0].Line()})
	switch {
	case err != nil:
		return err
	case now.State != Running:
		return errStopped
	case now.Done:
		return nil
	}
	may, err := account.MayChange(ctx, w.Store.Pool, tenant, now.AskedBy)
	if err == nil {
		err = k.judge(ctx, w.Store.Pool, tenant, i, entries)
	}
	if err != nil {
		return err
	}
	var group errgroup.Group
	group.SetLimit(atOnce)
	for _, e := range entries {
		if e.Made || e.Verdict != New && (e.Verdict != Alike || !i.TakesAlike) {
			continue
		}
		if !may {
			e.Refuse(now.AskedBy + " may no longer change " + k.Many + ".")
			continue
		}
		group.Go(func() error {
			return w.create(ctx, k, Attempt{w.Store, tenant, i, i.Key(e.Line()), now.AskedBy, e.Line()}, e)
		})
	}
	if err := group.Wait(); err != nil {
		return err //nolint:wrapcheck // of create
	}
	return w.store(ctx, tenant, i, entries)
}

// create creates the record of an entry. It returns an error if the next attempt has to repeat it.
func (w *Worker) create(ctx context.Context, k *Kind, a Attempt, e *Entry) error {
	created, err := k.do(ctx, a, e)
	if idempotency.Transient(err) {
		return err
	}
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok && refused.Code == takenBack {
		return errStopped
	}
	switch problem, explained := idempotency.Refusal(err); {
	case err == nil && created:
		e.Verdict, e.Problem = New, ""
	case err == nil:
		e.Verdict, e.Problem = Known, ""
	case explained:
		e.Refuse(problem)
	default:
		e.Refuse("The server couldn't do it. Its log has the reason.")
		w.Log.WarnContext(ctx, "a row of an import is refused", "tenant", a.Tenant, "import", a.Import.ID, "line", a.line, "error", err)
	}
	return nil
}

// takenBack is the SQLSTATE with which refuse_taken_back ends a transaction.
const takenBack = "OO008"

// store stores the outcome of a chunk, unless another worker has.
func (w *Worker) store(ctx context.Context, tenant uuid.UUID, i Import, entries []*Entry) error {
	counts := map[Verdict]int{}
	var lines []int
	var problems []string
	rows := 0
	for _, e := range entries {
		counts[e.Verdict]++
		rows += len(e.Rows)
		if e.Verdict != New && e.Verdict != Known {
			lines, problems = append(lines, e.Line()), append(problems, e.Problem)
		}
	}
	return postgres.InTenant(ctx, w.Store.Pool, tenant, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `
			WITH stored AS (
				INSERT INTO import_chunks (tenant_id, import_id, line, created, known, left_out, more)
				VALUES (@tenant_id, @import, @line, @created, @known, @left_out, @more)
				ON CONFLICT DO NOTHING RETURNING tenant_id, import_id
			)
			INSERT INTO import_problems (tenant_id, import_id, line, problem)
			SELECT stored.tenant_id, stored.import_id, p.line, p.problem
			FROM stored, unnest(@lines::integer[], @problems::text[]) AS p (line, problem)`,
			pgx.NamedArgs{
				"tenant_id": tenant, "import": i.ID, "line": entries[0].Line(), "created": counts[New], "known": counts[Known],
				"left_out": len(lines), "more": rows - len(entries), "lines": lines, "problems": problems,
			})
		return err
	})
}

// Keep is the time for which files are kept.
const Keep = 30 * 24 * time.Hour

// Expire deletes the files that are older than a time, with the problems of their rows.
func Expire(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, before time.Time) error {
	_, err := record.Expire(ctx, pool, tenant, `
		DELETE FROM import_files
		WHERE tenant_id = @tenant_id AND ctid = ANY (ARRAY(
			SELECT ctid FROM import_files
			WHERE tenant_id = @tenant_id AND created_at < @before
			ORDER BY created_at LIMIT @batch
			FOR UPDATE SKIP LOCKED))`, pgx.NamedArgs{"before": before})
	return err
}
