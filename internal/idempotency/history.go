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
	// What says what was done: "created", "reused", "changed", "unchanged", or an effect besides the intent's own
	// record.
	What  string
	Actor string
	At    time.Time // UTC
	// Changes are the fields of the record that differ since, with the JSON of what was and what is.
	Changes map[string][2]json.RawMessage
	// Versions are those of the record before and after; zeros if it was not changed.
	Versions [2]int
}

// place is where an entry stands in a history.
func (e Entry) place() record.Key {
	return record.Key{e.At.UTC().Format(time.RFC3339Nano), e.Operation + " " + e.Key + " " + e.What}
}

// History returns a page of what was done to a record, newest first. The error is [record.ErrKey] for a page that begins
// elsewhere than at an entry. What it reads grows with the effects of others on the record, and not with its other
// entries, or with the tenant.
func History(ctx context.Context, pool *pgxpool.Pool, tenant, id uuid.UUID, page record.Page) (list record.List[Entry], err error) {
	begin, err := historyFrom(page)
	if err != nil {
		return list, err
	}
	from, behind, order := `at <= @at::timestamptz`, `(at < @at::timestamptz OR place < @place)`, ` DESC`
	if page.Back {
		from, behind, order = `at >= @at::timestamptz`, `(at > @at::timestamptz OR place > @place)`, ``
	}
	rows, err := record.Collect(ctx, pool, tenant, pgx.RowToStructByPos[Entry],
		`(SELECT operation, key, what, actor, at, changes - 'version', COALESCE(changes -> 'version', '[0, 0]') FROM (
			SELECT operation, key, outcome AS what, actor, at, changes,
				operation || ' ' || key || ' ' || outcome COLLATE "C" AS place
			FROM intents WHERE tenant_id = @tenant_id AND record_id = @record AND `+from+`
			ORDER BY at`+order+` LIMIT @rows + `+sameMoment+`) AS own
		WHERE `+behind+` ORDER BY at`+order+`, place`+order+` LIMIT @rows)
		UNION ALL
		(SELECT operation, key, what, actor, at, NULL, '[0, 0]' FROM (
			SELECT e.operation, e.key, e.effect AS what, i.actor, i.at,
				e.operation || ' ' || e.key || ' ' || e.effect COLLATE "C" AS place
			FROM intent_effects e, LATERAL (
				SELECT actor, at FROM intents i
				WHERE i.tenant_id = e.tenant_id AND i.operation = e.operation AND i.key = e.key LIMIT 1) AS i
			WHERE e.tenant_id = @tenant_id AND e.record_id = @record) AS others
		WHERE `+from+` AND `+behind+` ORDER BY at`+order+`, place`+order+` LIMIT @rows)`,
		pgx.NamedArgs{"record": id, "at": begin[0], "place": begin[1], "rows": page.Limit + 1})
	slices.SortFunc(rows, func(a, b Entry) int {
		newer := cmp.Or(b.At.Compare(a.At), strings.Compare(b.place()[1], a.place()[1]))
		if page.Back {
			return -newer
		}
		return newer
	})
	return record.Cut(page, rows, func(e Entry) (record.Key, Entry) { return e.place(), e }, record.Key{}), err
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
		pgx.NamedArgs{"record": id, "at": e.place()[0]})
}
