package postgres_test

import (
	"testing"

	"onlyonce/internal/postgres/pgtest"
)

// TestEveryRowCanBeReplicated checks that each table has columns that identify a row and aren't generated. Logical replication to a
// server of the next major version (docs/upgrade.md) needs them, and doesn't send generated columns.
func TestEveryRowCanBeReplicated(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	db.Spoil(t)
	const documented = "settings" // the documentation names other columns for it
	if found := notReplicated(t, db); found != documented {
		t.Errorf("logical replication refuses changes of %s: give them a key without a generated column", found)
	}
	query(t, db.AdminURL, "CREATE TABLE unidentified (name text)")
	if found := notReplicated(t, db); found != documented+", unidentified" {
		t.Errorf("with a table that has no key these are found: %q", found)
	}
}

func notReplicated(t *testing.T, db *pgtest.Database) string {
	t.Helper()
	return query(t, db.AdminURL, `
		SELECT COALESCE(string_agg(relname, ', ' ORDER BY relname), '')
		FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
		WHERE relkind = 'r' AND relpersistence = 'p' AND nspname NOT IN ('pg_catalog', 'information_schema') AND NOT EXISTS (
			SELECT FROM pg_index i
			WHERE indrelid = c.oid AND CASE relreplident WHEN 'i' THEN indisreplident WHEN 'd' THEN indisprimary END AND NOT EXISTS (
				SELECT FROM pg_attribute WHERE attrelid = c.oid AND attnum = ANY (indkey) AND attgenerated <> ''))`)
}
