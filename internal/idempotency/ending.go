package idempotency

// ending makes the statement that ends the work: the intent is carried out.
type ending struct {
	kind Kind
	// record is a SELECT of the record, as its table shows it.
	record string
	// made is what a transition makes true of the row r.
	made  string
	table string
	// kept says that the state was made before, so that there was no work.
	kept bool
}

func (s Spec[C, R]) ending() ending {
	e := ending{kind: s.Kind, table: s.Table.Name, record: s.Table.JSON(), made: "true"}
	if s.Made != "" {
		e.made = s.Made
	}
	return e
}

// row is the row r of the record.
func (e ending) row() string {
	return e.table + ` r WHERE r.tenant_id = @tenant_id AND r.id = @record_id`
}

// outcome of a change: whether a field of the record differs, or, if it is brought into another state, whether
// the work was done.
func (e ending) outcome() string {
	switch {
	case e.kind != Transition:
		return `CASE WHEN made.changes IS NULL THEN 'unchanged' ELSE 'changed' END`
	case e.kept:
		return `'unchanged'`
	default:
		return `'changed'`
	}
}

// insertRecord is insert with the record itself as the result.
func (e ending) insertRecord() string {
	if e.kind.Changes() {
		return e.insert(`r.record`)
	}
	return e.insert(`(SELECT ` + e.record + ` FROM ` + e.row() + `)`)
}

// insert stores the intent with a result. OFFSET keeps PostgreSQL from computing the result once for each place
// where it stands.
func (e ending) insert(result string) string {
	if e.kind.Changes() {
		return `
		INSERT INTO intents (
			tenant_id, operation, key, fingerprint, attempt_id, actor, record_id, outcome, changes, result, expires_at)
		SELECT
			@tenant_id, @operation, @idempotency_key, @fingerprint, @attempt_id, @actor, @record_id,
			` + e.outcome() + `, made.changes, made.result, now() + @retain
		FROM (
			SELECT end_change(r.made, r.record) AS changes, ` + result + ` AS result
			FROM (SELECT (` + e.made + `) AS made, ` + e.record + ` AS record FROM ` + e.row() + ` OFFSET 0) AS r
			OFFSET 0) AS made
		RETURNING result, record_id, outcome`
	}
	return `
		INSERT INTO intents (
			tenant_id, operation, key, fingerprint, attempt_id, actor, record_id, outcome, result, expires_at)
		SELECT
			@tenant_id, @operation, @idempotency_key, @fingerprint, @attempt_id, @actor,
			record.id, CASE record.id WHEN @record_id THEN 'created' ELSE 'reused' END, made.result, now() + @retain
		FROM (SELECT ` + result + ` AS result OFFSET 0) AS made,
			LATERAL (SELECT (made.result->>'id')::uuid AS id OFFSET 0) AS record
		RETURNING result, record_id, outcome`
}

// lock makes changes of one record wait for each other. It is a statement of its own, so that those behind it
// see what was committed meanwhile.
func (e ending) lock() query {
	return query{sql: `SELECT FROM ` + e.row() + ` FOR UPDATE`}
}

// begin looks at the locked record, and ends the transaction if it is not there, is not the version that was
// seen, or is what a transition is to make of it already.
func (e ending) begin() query {
	made := e.made
	if e.kind == Change {
		made = "false"
	}
	return query{sql: `
		SELECT begin_change(r.version, @seen_version, r.made, r.record)
		FROM (SELECT) AS one LEFT JOIN (
			SELECT r.version, (` + made + `) AS made, ` + e.record + ` AS record FROM ` + e.row() + `) AS r ON true`}
}

// keep stores the intent of a transition whose state was made before.
func (e ending) keep() []query {
	e.kept = true
	look := `
		SELECT keep_made(r.made, r.record)
		FROM (SELECT) AS one LEFT JOIN (
			SELECT (` + e.made + `) AS made, ` + e.record + ` AS record FROM ` + e.row() + `) AS r ON true`
	return []query{e.lock(), {sql: look}, {sql: e.insertRecord()}}
}
