package sitetest

import "strings"

// The treatment of texts when a customer is erased: see [Resource.OfCustomer].
const (
	Erased    = "erased"
	Undecided = "kept until it is decided"
)

// ColumnsWith returns the columns of all tables, also those of the jobs, that contain a text, without regard to case.
func (b *Bundle) ColumnsWith(text string) []string {
	b.Helper()
	each := Get[[]string](b, `
		SELECT array_agg(format('SELECT %L WHERE EXISTS (SELECT FROM %I.%I WHERE strpos(lower(%s), %L) > 0)', relname || '.' || attname,
			nspname, relname, format(CASE atttypid WHEN 'bytea'::regtype THEN 'encode(%I, ''escape'')' ELSE '%I::text' END, attname),
			lower($1)))
		FROM pg_attribute JOIN pg_class c ON c.oid = attrelid JOIN pg_namespace n ON n.oid = relnamespace
		WHERE nspname IN ('public', 'river') AND relkind IN ('r', 'p') AND attnum > 0 AND NOT attisdropped`, text)
	return Get[[]string](b, `
		SELECT COALESCE(array_agg(name ORDER BY name), '{}') FROM (`+strings.Join(each, ` UNION ALL `)+`) AS found (name)`)
}
