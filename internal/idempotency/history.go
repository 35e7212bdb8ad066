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

// Entry is what an intent did to a record.
type Entry struct {
	Operation string
	Key       string
	// What is what was done: "created", "reused", "changed", "unchanged", an effect besides the intent's own
	// record, or what [Beside] names.
	What  string
	Actor string    // "" if it is not known, of an entry from [Beside]
	At    time.Time // UTC
	// Place is where it stands among those of the same moment.
	Place string
	// Changes are the fields of the record that differ since, with the JSON of what was and what is.
	Changes map[string][2]json.RawMessage
	// Versions are those of the record before and after; zeros if it was not changed.
	Versions [2]int
	// Details are those of an entry from [Beside], as JSON.
	Details json.RawMessage
}

// key is where an entry stands in a history.
func (e Entry) key() record.Key { return record.Key{e.At.UTC().Format(time.RFC3339Nano), e.Place} }

// Beside is SQL for further entries of the history of @record, such as those of a ledger: source_id, the record whose own intent made
// the entry; its outcome there; at, of which there is an index; place, among entries of the same moment; what; and details, as JSON.
type Beside string

// History returns a page of what was done to a record, newest first, with what stands beside it unless that is "". The error is
// [record.ErrKey] for a page that begins elsewhere than at an entry. What it reads grows with the effects of others on the record, and
// not with its other entries, or with the tenant.
func History(
	ctx context.Context, pool *pgxpool.Pool, tenant, id uuid.UUID, page record.Page, beside Beside,
) (list record.List[Entry], err error) {
	begin, err := historyFrom(page)
	if err != nil {
		return list, err
	}
	from, behind, order := `at <= @at::timestamptz`, `(at < @at::timestamptz OR place < @place)`, ` DESC`
	if page.Back {
		from, behind, order = `at >= @at::timestamptz`, `(at > @at::timestamptz OR place > @place)`, ``
	}
	sql := `
		(SELECT operation, key, what, actor, at, place, changes - 'version', COALESCE(changes -> 'version', '[0, 0]'), NULL::json FROM (
			SELECT operation, key, outcome AS what, actor, at, changes,
				operation || ' ' || key || ' ' || outcome COLLATE "C" AS place
			FROM intents WHERE tenant_id = @tenant_id AND record_id = @record AND ` + from + `
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
	rows, err := record.Collect(ctx, pool, tenant, pgx.RowToStructByPos[Entry], sql,
		pgx.NamedArgs{"record": id, "at": begin[0], "place": begin[1], "rows": page.Limit + 1})
	slices.SortFunc(rows, func(a, b Entry) int {
		newer := cmp.Or(b.At.Compare(a.At), strings.Compare(b.Place, a.Place))
		if page.Back {
			return -newer
		}
		return newer
	})
	return record.Cut(page, rows, func(e Entry) (record.Key, Entry) { return e.key(), e }, record.Key{}), err
}

// sameMoment is more than the intents of one record that have the same time, to the microsecond. Those before the
// beginning of a page are read with it, because the index does not have them in order.
const sameMoment = "50"

// historyFrom is where a page begins; the error is [record.ErrKey].
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

// Before returns what the fields of a record were right after an entry of its history, of those that were changed later. It
// reads all later changes of the record.
func Before(ctx context.Context, pool *pgxpool.Pool, tenant, id uuid.UUID, e Entry) (map[string]json.RawMessage, error) {
	return record.One(ctx, pool, tenant, pgx.RowTo[map[string]json.RawMessage], `
		SELECT COALESCE(jsonb_object_agg(name, was), '{}') FROM (
			SELECT DISTINCT ON (c.key) c.key AS name, c.value -> 0 AS was
			FROM intents i, jsonb_each(i.changes) AS c
			WHERE i.tenant_id = @tenant_id AND i.record_id = @record AND i.at > @at::timestamptz
			ORDER BY c.key, i.at) AS later`,
		pgx.NamedArgs{"record": id, "at": e.key()[0]})
}
