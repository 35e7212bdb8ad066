package attempt

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/record"
)

// Attempt is a kept attempt.
type Attempt struct {
	ID        uuid.UUID           `json:"id"`
	At        time.Time           `json:"at"`       // time of the end, UTC
	Duration  int64               `json:"duration"` // in microseconds, waiting included
	Operation string              `json:"operation"`
	Key       string              `json:"key"` // "" if there was none
	Outcome   idempotency.Outcome `json:"outcome"`
	Record    uuid.UUID           `json:"record_id"` // uuid.Nil if it is not known
	Actor     string              `json:"actor"`
	Reason    string              `json:"reason"` // the name of the problem, or ""
	Replica   string              `json:"replica"`
}

// Identity returns the id of an attempt, and 1, because an attempt never changes.
func (a Attempt) Identity() (id uuid.UUID, version int) { return a.ID, 1 }

// fields is the SQL expression for the JSON of an [Attempt] from the row a.
const fields = `json_build_object('id', a.id, 'at', a.at, 'duration', a.duration, 'operation', a.operation, 'key', a.key,
	'outcome', a.outcome, 'record_id', a.record_id, 'actor', a.actor, 'reason', a.reason, 'replica', a.replica)`

// Outcomes returns the possible outcomes of an attempt.
func Outcomes() []idempotency.Outcome {
	return []idempotency.Outcome{
		idempotency.Created, idempotency.Reused, idempotency.Changed, idempotency.Unchanged, idempotency.Replayed,
		idempotency.Conflict, idempotency.Mismatch, idempotency.InProgress, idempotency.Rejected, idempotency.Failed,
	}
}

// Filter selects attempts. The zero value selects all.
type Filter struct {
	Key       string
	Record    uuid.UUID
	Outcome   idempotency.Outcome
	Operation string
}

// conditions returns the condition that an index serves, and the remaining conditions.
func (f Filter) conditions(args pgx.NamedArgs) (index, rest string) {
	index, rest = "true", "true"
	add := func(wanted, indexed bool, name, column string, value any) {
		if !wanted {
			return
		}
		args[name] = value
		if condition := `a.` + column + ` = @` + name; indexed && index == "true" {
			index = condition
		} else {
			rest += ` AND ` + condition
		}
	}
	add(f.Key != "", true, "key", "key", f.Key)
	add(f.Record != uuid.Nil, true, "record", "record_id", f.Record)
	add(f.Outcome != "", true, "outcome", "outcome", string(f.Outcome))
	add(f.Operation != "", false, "operation", "operation", f.Operation)
	return index, rest
}

// looked is the number of attempts that are filtered for one page.
const looked = "1000"

// List returns a page of attempts, newest first. It reads a bounded number by index and filters them, so a page may be short or empty
// although there are more. The error may be [record.ErrKey].
func List(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, f Filter, page record.Page) (list record.List[Attempt], err error) {
	from, err := page.ID()
	if err != nil {
		return list, err
	}
	behind, order := `a.id < @from`, `id DESC`
	if page.Back {
		behind, order = `a.id > @from`, `id`
	}
	args := pgx.NamedArgs{"from": from, "limit": page.Limit + 1}
	index, rest := f.conditions(args)
	look := looked
	if rest == "true" {
		look = record.MaxRows
	}
	found, err := record.One(ctx, pool, tenant, pgx.RowTo[looking], `
		WITH candidates AS MATERIALIZED (
			SELECT a.id, `+fields+` AS attempt, `+rest+` AS wanted FROM attempts a
			WHERE a.tenant_id = @tenant_id AND `+behind+` AND `+index+` ORDER BY `+order+` LIMIT `+look+`
		)
		SELECT json_build_object(
			'attempts', (SELECT json_agg(attempt ORDER BY `+order+`) FROM (
				SELECT id, attempt FROM candidates WHERE wanted ORDER BY `+order+` LIMIT @limit) AS page),
			'frontier', (SELECT id FROM candidates ORDER BY `+order+` OFFSET `+look+` - 1))`, args)
	var frontier record.Key
	if found.Frontier != uuid.Nil {
		frontier = place(found.Frontier)
	}
	return record.Cut(page, found.Attempts, func(a Attempt) (record.Key, Attempt) { return place(a.ID), a }, frontier), err
}

// looking is the result of filtering, and the end of the filtered range if there are more.
type looking struct {
	Attempts []Attempt `json:"attempts"`
	Frontier uuid.UUID `json:"frontier"`
}

func place(id uuid.UUID) record.Key { return record.Key{"", id.String()} }

// Of is an attempt about a record.
type Of struct {
	Attempt

	// Making reports whether the attempt belongs to the intent that created the record.
	Making bool `json:"making"`
}

// most is the maximum number of attempts for a record.
const most = "20"

// OfRecord returns the newest attempts about a record, at most twenty: those that found or changed it, and those of the intent that created
// it, with any outcome.
func OfRecord(ctx context.Context, pool *pgxpool.Pool, tenant, id uuid.UUID) ([]Of, error) {
	return record.Collect(ctx, pool, tenant, pgx.RowTo[Of], `
		WITH made AS MATERIALIZED (
			SELECT operation, key FROM (
				SELECT operation, key, outcome FROM intents WHERE tenant_id = @tenant_id AND record_id = @record
				ORDER BY at LIMIT 1) AS first
			WHERE outcome = 'created'
		), about AS (
			(SELECT a.id FROM attempts a WHERE a.tenant_id = @tenant_id AND a.record_id = @record ORDER BY a.id DESC LIMIT `+most+`)
			UNION
			(SELECT a.id FROM made, LATERAL (
				SELECT a.id FROM attempts a WHERE a.tenant_id = @tenant_id AND a.key = made.key AND a.operation = made.operation
				ORDER BY a.id DESC LIMIT `+most+`) AS a)
		)
		SELECT jsonb_build_object('making', EXISTS (
			SELECT FROM made WHERE made.key = a.key AND made.operation = a.operation)) || `+fields+`::jsonb
		FROM (SELECT id FROM about ORDER BY id DESC LIMIT `+most+`) AS newest, LATERAL (
			SELECT a.id, a.at, a.duration, a.operation, a.key, a.outcome, a.record_id, a.actor, a.reason, a.replica
			FROM attempts a WHERE a.tenant_id = @tenant_id AND a.id = newest.id LIMIT 1) AS a
		ORDER BY a.id DESC`, pgx.NamedArgs{"record": id})
}
