package idempotency

import "reflect"

// intentSQL builds the statements before and after the work of an operation.
type intentSQL struct {
	kind Kind
	// record is the SQL expression for the JSON of the record.
	record string
	// made is the condition on the row r that a transition makes true.
	made  string
	table string
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
		kind: s.Kind, table: s.Table.Name, record: s.Table.JSON(), made: "true", lead: s.Table.Lead(), known: known(s),
		alike: fieldType(result, "possible_duplicate_of") != nil,
	}
	if s.Made != "" {
		q.made = s.Made
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
	return q.table + ` r WHERE r.tenant_id = @tenant_id AND r.id = @record_id`
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
