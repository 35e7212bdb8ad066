package postgres_test

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"onlyonce/internal/postgres"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/migrations"
)

// TestMigrateAgain: every migration can be taken back, with the tables of jobs, and comes again.
func TestMigrateAgain(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	db.Spoil(t)
	config, err := pgx.ParseConfig(db.URL)
	if err != nil {
		t.Fatal(err)
	}
	std := stdlib.OpenDB(*config)
	defer std.Close()
	provider, err := goose.NewProvider(goose.DialectPostgres, std, migrations.FS)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := provider.DownTo(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	const left = `SELECT count(*) FROM (
		SELECT relnamespace, relname FROM pg_class WHERE relname !~ '^goose_db_version'
		UNION ALL SELECT pronamespace, proname FROM pg_proc
		UNION ALL SELECT typnamespace, typname FROM pg_type WHERE typtype = 'd'
	) AS made (schema, name) WHERE schema = current_schema()::regnamespace`
	if got := query(t, db.URL, left); got != "0" {
		t.Errorf("%s objects are left", got)
	}
	const jobs = "SELECT COALESCE(to_regclass('river.river_job')::text, 'none')"
	if got := query(t, db.URL, jobs); got != "none" {
		t.Errorf("%s is left", got)
	}
	for range 2 {
		if err := postgres.Migrate(t.Context(), db.URL); err != nil {
			t.Fatal(err)
		}
	}
	if got := query(t, db.URL, jobs); got != "river.river_job" {
		t.Errorf("the jobs are in %s", got)
	}
}
