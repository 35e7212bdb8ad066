package idempotency

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"sync"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// intentSQL builds the statements before and after the work of an operation.
type intentSQL struct {
	kind Kind
	// record is the SQL expression for the JSON of the record.
	record string
	// made is the condition on the row r that a transition makes true.
	made  string
	table string
	only  string // a condition on the row r that begins with AND; "" for none: see [record.Table.Only]
	first string // see [Spec.Locks]
	// lead is the SQL expression for the id of the record that the row r leads to. known is the condition under which a command finds the
	// row with the same external id.
	lead, known string
	// lookup reads the intent as its tenant, and whether that tenant may still see its record.
	lookup []query
	// alike is set if the result type has possible_duplicate_of.
	alike bool
	// kept is set if the record was already in the state, so that no work was done.
	kept bool
}

func intentSQLOf(s Spec[any, any], result reflect.Type) intentSQL {
	q := intentSQL{
		kind: s.Kind, table: s.Table.Name, first: s.Locks, record: s.Table.JSON(), made: "true",
		lead: lead(s.Table.LeadsTo), known: known(s),
		alike: fieldType(result, "possible_duplicate_of") != nil,
	}
	if s.Made != "" {
		q.made = s.Made
	}
	if s.Table.Only != "" {
		q.only = ` AND ` + s.Table.Only
	}
	q.lookup = []query{
		{text: text{sql: `SELECT set_config('onlyonce.tenant_id', @tenant_id::text, true)`}},
		{text: text{sql: `
		SELECT attempt_id, fingerprint, result, record_id, outcome,
			EXISTS (SELECT FROM ` + q.table + ` r WHERE r.tenant_id = i.tenant_id AND r.id = i.record_id),
			` + inCopy + `
		FROM intents i
		WHERE tenant_id = @tenant_id AND operation = @operation AND key = @idempotency_key`}},
	}
	return q
}

// row returns the FROM and WHERE that select the record as r.
func (q intentSQL) row() string {
	return q.table + ` r WHERE r.tenant_id = @tenant_id AND r.id = @record_id` + q.only
}

// outcome returns the SQL expression for the outcome of a change, which depends on whether a field of the record differs, or of a
// transition, which depends on whether the work was done.
func (q intentSQL) outcome() string {
	switch {
	case q.kind != Transition:
		return `CASE WHEN made.changes IS NULL THEN 'unchanged' ELSE 'changed' END`
	case q.kept:
		return `'unchanged'`
	default:
		return `'changed'`
	}
}

// insertRecord is insert with the JSON of the record as the result.
func (q intentSQL) insertRecord() string {
	if q.kind.Changes() {
		return q.insert(`r.record`)
	}
	return q.insert(`(SELECT ` + q.record + ` FROM ` + q.row() + `)`)
}

// insert returns the statement that stores the intent with a result. OFFSET keeps PostgreSQL from computing the result once per
// reference.
func (q intentSQL) insert(result string) string {
	if q.kind.Changes() {
		return `
		INSERT INTO intents (
			tenant_id, operation, key, fingerprint, attempt_id, actor, record_id, outcome, changes, result, expires_at)
		SELECT
			@tenant_id, @operation, @idempotency_key, @fingerprint, @attempt_id, @actor, @record_id,
			` + q.outcome() + `, made.changes, made.result, now() + @retain
		FROM (
			SELECT end_change(r.made, r.record) AS changes, ` + result + ` AS result
			FROM (SELECT (` + q.made + `) AS made, ` + q.record + ` AS record FROM ` + q.row() + ` OFFSET 0) AS r
			OFFSET 0) AS made
		RETURNING result, record_id, outcome, ` + inCopy
	}
	shown := `made.result`
	if q.alike {
		shown = `CASE record.id WHEN @record_id
				THEN tell_repeat(record.id, made.result, @ask) ELSE made.result END`
	}
	return `
		INSERT INTO intents (
			tenant_id, operation, key, fingerprint, attempt_id, actor, record_id, outcome, result, expires_at)
		SELECT
			@tenant_id, @operation, @idempotency_key, @fingerprint, @attempt_id, @actor,
			record.id, CASE record.id WHEN @record_id THEN 'created' ELSE 'reused' END, ` + shown + `, now() + @retain
		FROM (SELECT ` + result + ` AS result OFFSET 0) AS made,
			LATERAL (SELECT (made.result->>'id')::uuid AS id OFFSET 0) AS record
		RETURNING result, record_id, outcome, ` + inCopy
}

// lock serializes changes of a record. It is a separate statement, so the next ones see the rows committed meanwhile.
func (q intentSQL) lock() query {
	return query{text: text{sql: `SELECT FROM ` + q.row() + ` FOR UPDATE`}}
}

// locks returns the statements that lock the rows of [Spec.Locks] and then the record.
func (q intentSQL) locks() []query {
	if q.first == "" {
		return []query{q.lock()}
	}
	return []query{{text: text{sql: q.first}}, q.lock()}
}

// begin checks the locked record. It ends the transaction if the record does not exist, has another version than the one that was seen,
// or is already in the state of the transition.
func (q intentSQL) begin() query {
	made := q.made
	if q.kind == Change {
		made = "false"
	}
	return query{text: text{sql: `
		SELECT begin_change(r.version, @seen_version, r.made, r.record)
		FROM (SELECT) AS one LEFT JOIN (
			SELECT r.version, (` + made + `) AS made, ` + q.record + ` AS record FROM ` + q.row() + `) AS r ON true`}}
}

// beginAsItIs is begin for a change from any version. end_change then ends the transaction if it changes anything.
func (q intentSQL) beginAsItIs() query {
	return query{text: text{sql: `
		SELECT begin_change(r.version, 0, false, r.record), set_config('onlyonce.as_it_is', 'true', true)
		FROM (SELECT) AS one LEFT JOIN (
			SELECT r.version, ` + q.record + ` AS record FROM ` + q.row() + `) AS r ON true`}}
}

// keep returns the statements that store the intent of a transition whose state was already true.
func (q intentSQL) keep() []query {
	q.kept = true
	begin := `
		SELECT keep_made(r.made, r.record)
		FROM (SELECT) AS one LEFT JOIN (
			SELECT (` + q.made + `) AS made, ` + q.record + ` AS record FROM ` + q.row() + `) AS r ON true`
	return []query{q.lock(), {text: text{sql: begin}}, {text: text{sql: q.insertRecord()}}}
}

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
