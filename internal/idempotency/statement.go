package idempotency

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"regexp"
	"sync"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// statement is an SQL text whose named arguments were replaced with positions. Each text is compiled once.
type statement struct {
	name   string // of the prepared statement, the same on every connection
	sql    string
	params []string
}

// text is the SQL of a statement before it is compiled.
type text struct {
	with, sql string
	stores    *intentSQL // if set, the statement stores the intent, and sql selects its result
}

func (t text) whole() string {
	if t.stores == nil {
		return t.sql
	}
	return t.with + t.stores.insert(`(`+t.sql+`)`)
}

// statements caches the compiled form of each SQL text. Their number is bounded, because SQL is never built from input.
type statements struct{ byText sync.Map }

func (s *statements) compile(ctx context.Context, of text) (*statement, error) {
	if known, ok := s.byText.Load(of); ok {
		return known.(*statement), nil //nolint:forcetypeassert // the map holds nothing else
	}
	sql := of.whole()
	// pgx reveals the position of an argument only by placing its value there, so each value is its own name.
	named := pgx.NamedArgs{}
	for _, match := range argument.FindAllStringSubmatch(sql, -1) {
		named[match[1]] = match[1]
	}
	positional, order, err := named.RewriteQuery(ctx, nil, sql, nil)
	if err != nil {
		return nil, fmt.Errorf("compile statement: %w", err)
	}
	compiled := &statement{sql: positional, params: make([]string, len(order))}
	for i, name := range order {
		compiled.params[i], _ = name.(string)
	}
	sum := sha256.Sum256([]byte(positional))
	compiled.name = "intent_" + hex.EncodeToString(sum[:8])
	s.byText.Store(of, compiled)
	return compiled, nil
}

var argument = regexp.MustCompile(`@([a-zA-Z_][a-zA-Z0-9_]*)`)

// bound is a statement with its arguments.
type bound struct {
	*statement

	values    []any
	otherwise error // see query
}

// bind sets the arguments of each query: its own, or else the common ones.
func (s *statements) bind(ctx context.Context, common pgx.NamedArgs, queries ...query) ([]bound, error) {
	all := make([]bound, len(queries))
	for i, q := range queries {
		compiled, err := s.compile(ctx, q.text)
		if err != nil {
			return nil, err
		}
		values := make([]any, len(compiled.params))
		for n, name := range compiled.params {
			value, ok := q.args[name]
			if !ok {
				value, ok = common[name]
			}
			if !ok {
				return nil, fmt.Errorf("no argument @%s for the statement:\n%s", name, q.whole())
			}
			values[n] = value
		}
		all[i] = bound{compiled, values, q.otherwise}
	}
	return all, nil
}

// bindOne is bind for one query.
func (s *statements) bindOne(ctx context.Context, common pgx.NamedArgs, q query) (bound, error) {
	all, err := s.bind(ctx, common, q)
	if err != nil {
		return bound{}, err
	}
	return all[0], nil
}

// Tx collects the statements of an intent's transaction. They are sent together, after the claim, and run in order; each sees the effects
// of the earlier ones. If the intent was carried out before, no statement runs. If a statement fails, all are rolled back.
//
// Tx has no Query: SQL uses a value of the database, such as an id found by email or the next number, in place. It has no Commit either,
// and is closed when the work has returned.
//
// These named arguments are always set: @tenant_id, @record_id (of the record to change, or a new UUIDv7 for the record to create),
// @operation, @idempotency_key and @actor.
type Tx struct {
	attempt uuid.UUID
	args    pgx.NamedArgs
	queued  []query
	open    bool
	around  *intentSQL
}

// Result is the return value of work. Only [Tx.Return], [Tx.ReturnWith] and [Tx.Record] make one.
type Result struct{ tx *Tx }

type query struct {
	text

	args pgx.NamedArgs
	// otherwise is the error if the statement does not change the required number of rows.
	otherwise error
}

// Exec queues a statement that may change any number of rows. See [Tx.Require].
func (tx *Tx) Exec(sql string, args pgx.NamedArgs) { tx.queue(query{text: text{sql: sql}, args: args}) }

// Require queues an INSERT, UPDATE or DELETE that must change exactly the given number of rows. If it changes fewer or more, everything
// is rolled back in the same round trip, and Do returns otherwise. The statement must have no WITH and no RETURNING.
func (tx *Tx) Require(rows int64, otherwise error, sql string, args pgx.NamedArgs) {
	counted := pgx.NamedArgs{"required_rows": rows}
	maps.Copy(counted, args)
	tx.queue(query{
		text{sql: `WITH changed AS (` + sql + ` RETURNING 1) SELECT require_rows((SELECT count(*) FROM changed), @required_rows)`},
		counted, otherwise,
	})
}

// Check queues a SELECT with a boolean, which must be true. If it isn't, everything is rolled back in the same round trip, and Do returns
// otherwise.
func (tx *Tx) Check(otherwise error, sql string, args pgx.NamedArgs) {
	tx.queue(query{text{sql: `SELECT require_rows(CASE WHEN (` + sql + `) THEN 1 ELSE 0 END, 1)`}, args, otherwise})
}

func (tx *Tx) queue(q query) {
	if tx == nil || !tx.open {
		panic("idempotency: Tx used outside of its work")
	}
	for name := range tx.args {
		if _, taken := q.args[name]; taken {
			panic("idempotency: argument @" + name + " is given by the transaction")
		}
	}
	tx.queued = append(tx.queued, q)
}

// Return queues the SELECT of the result: one JSON object, read from the rows that were just written, whose "id" is the id of the record
// that was created or found. It must not be NULL. It is stored with the intent, and the first answer and every replay are made from it.
func (tx *Tx) Return(sql string, args pgx.NamedArgs) Result { return tx.ReturnWith("", sql, args) }

// ReturnWith is Return in one statement with work. with is a WITH clause whose INSERTs return, with RETURNING, the rows that the SELECT
// reads.
func (tx *Tx) ReturnWith(with, sql string, args pgx.NamedArgs) Result {
	tx.queue(query{text: text{with, sql, tx.around}, args: args})
	return Result{tx}
}

// Record queues the SELECT of the record itself as the result, with the JSON of its table.
func (tx *Tx) Record() Result {
	tx.Exec(tx.around.insertRecord(), nil)
	return Result{tx}
}

// arguments returns the named arguments that every statement of an attempt may use.
func (d *Definition) arguments(store *Store, intent Intent, fingerprint Fingerprint) pgx.NamedArgs {
	args := pgx.NamedArgs{
		"tenant_id":       intent.Tenant,
		"record_id":       intent.Record,
		"attempt_id":      intent.attempt,
		"seen_version":    intent.Seen,
		"operation":       d.spec.Name,
		"idempotency_key": intent.Key.value,
		"actor":           intent.Actor,
		"fingerprint":     fingerprint[:],
		"retain":          cmp.Or(store.Retain, d.spec.Retain),
		"wait":            store.wait(),
		"ask":             intent.AsksAboutRepeat && (d.spec.Kind != Upsert || len(d.spec.Alike.Fields) > 0),
	}
	maps.Copy(args, intent.external)
	return args
}
