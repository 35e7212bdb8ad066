package idempotency

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/record"
)

// Entry is an intent's effect on a record.
type Entry struct {
	Operation string
	Key       string
	// What is "created", "reused", "changed", "unchanged", an effect on a record other than the intent's own, or a name from [Beside].
	What  string
	Actor string    // may be "" for an entry from [Beside]
	At    time.Time // UTC
	// Place orders the entries of the same moment.
	Place string
	// Changes holds the JSON of each changed field of the record, before and after.
	Changes map[string][2]json.RawMessage
	// Versions are the record's versions before and after, or zeros if it was not changed.
	Versions [2]int
	// Details is the JSON of an entry from [Beside].
	Details json.RawMessage
}

// key returns the place of an entry in a history.
func (e Entry) key() record.Key { return record.Key{e.At.UTC().Format(time.RFC3339Nano), e.Place} }

// Beside is a SELECT of further entries for the history of @record, such as postings of a ledger. Its columns are source_id, the record
// whose own intent made the entry; outcome, of that intent; at, which has an index; place, among the entries of the same moment; what;
// and details, as JSON.
type Beside string

// History returns a page of a record's history, newest first, including the entries of beside unless that is "". If records of other
// resources have the same id, operations selects the entries of the record; without operations, History returns all entries. It returns
// [record.ErrKey] if the page does not begin at an entry. Its cost grows with the number of other records' effects on the record, but not
// with the record's other entries or with the tenant.
func History(
	ctx context.Context, pool *pgxpool.Pool, tenant, id uuid.UUID, page record.Page, beside Beside, operations ...string,
) (list record.List[Entry], err error) {
	begin, err := historyFrom(page)
	if err != nil {
		return list, err
	}
	from, behind, order := `at <= @at::timestamptz`, `(at < @at::timestamptz OR place < @place)`, ` DESC`
	if page.Back {
		from, behind, order = `at >= @at::timestamptz`, `(at > @at::timestamptz OR place > @place)`, ``
	}
	args := pgx.NamedArgs{"record": id, "at": begin[0], "place": begin[1], "rows": page.Limit + 1}
	own := ``
	if len(operations) > 0 {
		own, args["operations"] = ` AND operation = ANY (@operations)`, operations
	}
	sql := `
		(SELECT operation, key, what, actor, at, place, changes - 'version', COALESCE(changes -> 'version', '[0, 0]'), NULL::json FROM (
			SELECT operation, key, outcome AS what, actor, at, changes,
				operation || ' ' || key || ' ' || outcome COLLATE "C" AS place
			FROM intents WHERE tenant_id = @tenant_id AND record_id = @record AND ` + from + own + `
			ORDER BY at` + order + ` LIMIT @rows + ` + sameMoment + `) AS own
		WHERE ` + behind + ` ORDER BY at` + order + `, place` + order + ` LIMIT @rows)
		UNION ALL
		(SELECT operation, key, what, actor, at, place, NULL, '[0, 0]', NULL::json FROM (
			SELECT e.operation, e.key, e.effect AS what, i.actor, i.at,
				e.operation || ' ' || e.key || ' ' || e.effect COLLATE "C" AS place
			FROM intent_effects e, LATERAL (
				SELECT actor, at FROM intents i
				WHERE i.tenant_id = e.tenant_id AND i.operation = e.operation AND i.key = e.key LIMIT 1) AS i
			WHERE e.tenant_id = @tenant_id AND e.record_id = @record) AS others
		WHERE ` + from + ` AND ` + behind + ` ORDER BY at` + order + `, place` + order + ` LIMIT @rows)`
	if beside != "" {
		sql += `
		UNION ALL
		(SELECT COALESCE(operation, ''), COALESCE(key, ''), what, COALESCE(actor, ''), at, place, NULL, '[0, 0]', details FROM (
			SELECT source_id, outcome, at, place, what, details FROM (
				SELECT source_id, outcome, at, place, what, details FROM (` + string(beside) + `) AS all_beside
				WHERE ` + from + ` ORDER BY at` + order + ` LIMIT @rows + ` + sameMoment + `) AS near
			WHERE ` + behind + ` ORDER BY at` + order + `, place` + order + ` LIMIT @rows) AS page
		LEFT JOIN LATERAL (
			SELECT operation, key, actor FROM intents
			WHERE tenant_id = @tenant_id AND record_id = source_id AND intents.outcome = page.outcome
			UNION ALL
			SELECT e.operation, e.key, i.actor FROM intent_effects e, LATERAL (
				SELECT actor FROM intents i
				WHERE i.tenant_id = e.tenant_id AND i.operation = e.operation AND i.key = e.key LIMIT 1) AS i
			WHERE e.tenant_id = @tenant_id AND e.record_id = source_id
			LIMIT 1) AS by ON true)`
	}
	rows, err := record.Collect(ctx, pool, tenant, pgx.RowToStructByPos[Entry], sql, args)
	slices.SortFunc(rows, func(a, b Entry) int {
		newer := cmp.Or(b.At.Compare(a.At), strings.Compare(b.Place, a.Place))
		if page.Back {
			return -newer
		}
		return newer
	})
	return record.Cut(page, rows, func(e Entry) (record.Key, Entry) { return e.key(), e }, record.Key{}), err
}

// sameMoment is more than the number of intents that a record has at the same time, to the microsecond. The entries of that moment before
// the start of a page are read with it, because the index does not order them.
const sameMoment = "50"

// historyFrom returns the key at which a page begins, or [record.ErrKey].
func historyFrom(page record.Page) (record.Key, error) {
	if page.From == (record.Key{}) {
		return record.Key{"infinity", ""}, nil
	}
	_, err := time.Parse(time.RFC3339Nano, page.From[0])
	if err != nil || strings.ContainsFunc(page.From[1], func(r rune) bool { return r < ' ' || r > '~' }) {
		return page.From, record.ErrKey
	}
	return page.From, nil
}

// Before returns the values that later changed fields of some records had right after a time, by the records. It reads all later changes
// of each.
func Before(
	ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, times map[uuid.UUID]time.Time,
) (map[uuid.UUID]map[string]json.RawMessage, error) {
	var ids []uuid.UUID
	var ats []string
	for id, at := range times {
		ids, ats = append(ids, id), append(ats, at.UTC().Format(time.RFC3339Nano))
	}
	type before struct {
		Record uuid.UUID
		Fields map[string]json.RawMessage
	}
	found, err := record.Collect(ctx, pool, tenant, pgx.RowToStructByPos[before], `
		SELECT id, jsonb_object_agg(name, was) FROM (
			SELECT DISTINCT ON (r.id, c.key) r.id, c.key AS name, c.value -> 0 AS was
			FROM unnest(@ids::uuid[], @ats::timestamptz[]) AS r (id, at), intents i, jsonb_each(i.changes) AS c
			WHERE i.tenant_id = @tenant_id AND i.record_id = r.id AND i.at > r.at
			ORDER BY r.id, c.key, i.at) AS later
		GROUP BY id`,
		pgx.NamedArgs{"ids": record.IDs(ids), "ats": ats})
	all := map[uuid.UUID]map[string]json.RawMessage{}
	for _, b := range found {
		all[b.Record] = b.Fields
	}
	return all, err
}
