package business_test

import (
	"context"
	"maps"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"onlyonce/internal/must"
	"onlyonce/internal/people/business"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/site"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// TestTablesAreExportedOrLeftOut checks that no exported table has secrets, or rows that an installation has once, and that each table
// that is left out exists.
func TestTablesAreExportedOrLeftOut(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	var parts []business.Part
	for _, r := range site.Rooms() {
		parts = append(parts, r.Copies)
	}
	tx, err := db.Pool.Begin(t.Context())
	must.OK(t, err)
	t.Cleanup(func() { must.OK(t, tx.Rollback(context.Background())) })
	found, err := business.Tables(t.Context(), tx, parts)
	must.OK(t, err)
	var exported []string
	for _, table := range found {
		exported = append(exported, table.Name)
	}
	tables := pgx.NamedArgs{"exported": exported, "left_out": slices.Collect(maps.Keys(business.LeftOut(parts)))}
	for _, look := range []struct{ sql, advice string }{
		{`
			SELECT table_name || '.' || column_name FROM information_schema.columns
			WHERE table_schema = 'public' AND table_name = ANY (@exported) AND column_name ~ 'secret|sealed|hash|token|password'`,
			"may be a secret: add the table to LeftOut of a business.Part, or give the column another name"},
		{`
			SELECT conname FROM pg_constraint
			WHERE contype = 'f' AND conrelid = ANY (@exported::regclass[]) AND confrelid = ANY (@left_out::regclass[])`,
			"refers from an exported table to one that isn't: a copy would be refused"},
		{`SELECT name FROM unnest(@left_out::text[]) AS name WHERE NOT EXISTS (
			SELECT FROM information_schema.columns WHERE table_name = name AND column_name = 'tenant_id')`,
			"is left out, and isn't a table of tenants"},
		{`
			SELECT table_name || '.' || column_name FROM information_schema.columns
			WHERE table_schema = 'public' AND table_name = ANY (@exported) AND (is_identity = 'YES' OR column_default LIKE 'nextval%')`,
			"is numbered in an installation: a copy may have the same numbers"},
		{`
			SELECT indexrelid::regclass::text FROM pg_index JOIN pg_attribute ON attrelid = indrelid AND attnum = indkey[0]
			WHERE indisunique AND indrelid = ANY (@exported::regclass[]) AND attname <> 'tenant_id'`,
			"is unique in an installation: a copy would be refused"},
		{`
			SELECT table_name FROM information_schema.columns
			WHERE table_schema = 'public' AND column_name = 'tenant_id' AND table_name <> ALL (@exported::text[] || @left_out::text[])`,
			"is neither exported nor left out, because it has no primary key"},
	} {
		rows, _ := tx.Query(t.Context(), look.sql, tables) // CollectRows returns its error
		found, err := pgx.CollectRows(rows, pgx.RowTo[string])
		must.OK(t, err)
		for _, name := range found {
			t.Errorf("%s %s", name, look.advice)
		}
	}
}
