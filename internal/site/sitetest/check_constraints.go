package sitetest

import (
	"cmp"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"onlyonce/internal/assert"
	"onlyonce/internal/idempotency"
)

// everyBrokenConstraintIsExplained covers the constraints that an operation can violate when it writes its record. The test
// runs the operation to see the columns that it writes. An upsert need not explain the rules by which it finds the record.
func everyBrokenConstraintIsExplained(x *Case) {
	var explained []string
	for _, op := range x.Operations() {
		if op.Name == x.Operation {
			explained = op.Explained
		}
	}
	columns, record := x.columnsWritten()
	var missing []string
	breakable := x.breakable(columns, record)
	for _, name := range append(breakable, x.breakableBelow()...) {
		if !slices.Contains(explained, name) {
			missing = append(missing, name)
		}
	}
	rules := map[string]bool{}
	for _, rule := range x.Rules() {
		rules[rule.Constraint] = true
		tried := rule.Conflict == nil || strings.HasSuffix(rule.Constraint, "_external_once") || // tried by the external cases
			slices.ContainsFunc(x.Resource.Uniques, func(u Unique) bool { return u.Slug == rule.Conflict.Slug })
		if x.Kind == idempotency.Create && slices.Contains(breakable, rule.Constraint) && !tried {
			x.Errorf("no case tries the conflict %q of %s: declare a field of it in Uniques of %s", rule.Conflict.Slug, rule.Constraint,
				x.Resource.Name)
		}
	}
	if x.Kind == idempotency.Upsert { // proved by the case "upsert hit"
		missing = slices.DeleteFunc(missing, func(name string) bool { return rules[name] })
	}
	assert.Thatf(x, len(missing) == 0,
		"%s writes %v of %s, or its parts, and may break %v: say in its Explain what that means", x.Operation, columns, x.table, missing)
}

// columnsWritten returns the columns of the record that the operation writes, and the record afterwards.
func (x *Case) columnsWritten() (written []string, record map[string]any) {
	x.Helper()
	row := func(id string) map[string]any {
		return Get[map[string]any](x.Bundle, `SELECT to_jsonb(r) FROM `+x.table+` r WHERE id = $1`, id)
	}
	before := map[string]any{}
	if x.Kind.Changes() {
		before = row(x.ID)
	}
	command := x.allChanged()
	if x.IsHTML() { // the page has the new name
		x.Label = cmp.Or(command.Get("name"), x.Label)
	}
	done := x.Ask(command)
	x.Format.Done(x, done)
	record = row(x.Format.record(x, done))
	for column, value := range record {
		if was, there := before[column]; !there && value != nil || there && !reflect.DeepEqual(was, value) {
			written = append(written, column)
		}
	}
	slices.Sort(written)
	return written, record
}

// allChanged returns the command with every field changed that doesn't need another record.
func (x *Case) allChanged() url.Values {
	if x.Kind != idempotency.Change {
		return x.Command
	}
	command := x.Command
	for _, f := range x.Resource.Fields {
		if f.Valid != Key { // not an id, which needs another record
			command = Change(command, append([]string{f.Name, f.Valid}, f.With...)...)
		}
	}
	return command
}

// breakable returns the unique constraints and the references of the table that have one of the columns, except its primary key
// and references to tenants. A record with a value in a column is not in an index WHERE that column IS NULL.
func (x *Case) breakable(columns []string, record map[string]any) []string {
	x.Helper()
	return Get[[]string](x.Bundle, `
		SELECT COALESCE(array_agg(DISTINCT name), '{}') FROM (
			SELECT indexrelid::regclass::text AS name, indrelid AS relation, indkey::int2[] AS keys,
				COALESCE(pg_get_expr(indpred, indrelid), '') AS predicate
			FROM pg_index WHERE indisunique AND NOT indisprimary
			UNION ALL
			SELECT conname, conrelid, conkey, '' FROM pg_constraint WHERE contype IN ('f', 'x') AND confrelid <> 'tenants'::regclass
		) AS of JOIN pg_attribute a ON attrelid = relation
		WHERE relation = $1::regclass AND attname = ANY ($2) AND attname <> 'tenant_id' AND name NOT LIKE '%\_hash\_once'
			AND (attnum = ANY (keys) OR predicate ~ ('\m' || attname || '\M'))
			AND (predicate !~ ('\m' || attname || ' IS NULL') OR $3::jsonb ->> attname IS NULL)`, x.table, columns, record)
}

// breakableBelow returns the unique constraints and the references of the parts that the operation wrote: of tables whose primary key has
// the id of the record behind the tenant, such as the lines of an invoice. The primary key and the reference to the record are left out.
func (x *Case) breakableBelow() (names []string) {
	x.Helper()
	parts := Get[[]string](x.Bundle, `
		SELECT COALESCE(array_agg(DISTINCT p.conrelid::regclass::text), '{}') FROM pg_constraint p JOIN pg_constraint f USING (conrelid)
		WHERE p.contype = 'p' AND f.contype = 'f' AND f.confrelid = $1::regclass AND p.conrelid <> $1::regclass
			AND p.conkey[1:2] = f.conkey[1:2]`, x.table)
	written := x.Written(x.Transactions...)
	for _, part := range parts {
		if Get[bool](x.Bundle, `SELECT EXISTS (SELECT FROM `+part+` WHERE xmin::text = ANY ($1))`, written) {
			names = append(names, Get[[]string](x.Bundle, `
				SELECT COALESCE(array_agg(name), '{}') FROM (
					SELECT indexrelid::regclass::text AS name FROM pg_index
					WHERE indrelid = $1::regclass AND indisunique AND NOT indisprimary
					UNION ALL
					SELECT conname FROM pg_constraint WHERE conrelid = $1::regclass AND (contype = 'x' OR contype = 'f'
						AND confrelid <> ALL (ARRAY['tenants', $2]::regclass[]))) AS of`, part, x.table)...)
		}
	}
	return names
}
