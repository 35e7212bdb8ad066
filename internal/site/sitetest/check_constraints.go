package sitetest

import (
	"cmp"
	"net/url"
	"reflect"
	"slices"

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
	for _, name := range x.breakable(columns, record) {
		if !slices.Contains(explained, name) {
			missing = append(missing, name)
		}
	}
	rules := map[string]bool{}
	for _, rule := range x.Rules() {
		rules[rule.Constraint] = true
	}
	if x.Kind == idempotency.Upsert { // proved by the case "upsert hit"
		missing = slices.DeleteFunc(missing, func(name string) bool { return rules[name] })
	}
	if len(missing) > 0 {
		x.Errorf("%s writes %v of %s and may break %v: say in its Explain what that means",
			x.Operation, columns, x.table, missing)
	}
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
			command = Change(command, f.Name, f.Valid)
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
