package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/postgres/server"
	"onlyonce/migrations"
)

// wrong returns the errors by check.
func wrong(findings []postgres.Finding) map[string]string {
	found := map[string]string{}
	for _, f := range findings {
		if f.Err != nil {
			found[f.Check] = f.Err.Error()
		}
	}
	return found
}

func TestExamine(t *testing.T) {
	t.Parallel()
	const newest = "DELETE FROM goose_db_version WHERE version_id = (SELECT max(version_id) FROM goose_db_version)"
	timeout := func(value string) string {
		return `DO $$ BEGIN
			EXECUTE format('ALTER DATABASE %I SET statement_timeout = ' || quote_literal('` + value + `'), current_database());
		END $$`
	}
	own := func(db *pgtest.Database) string { return db.URL }
	for name, c := range map[string]struct {
		spoil string // run as the superuser
		url   func(*pgtest.Database) string
		want  string // the only check with an error
	}{
		"in order":      {"SELECT ''", own, ""},
		"superuser":     {"SELECT ''", func(db *pgtest.Database) string { return db.AdminURL }, "role"},
		"no policy":     {"DROP POLICY tenant_isolation ON customers", own, "catalog"},
		"old schema":    {newest, own, "schema"},
		"hole":          {"DELETE FROM goose_db_version WHERE version_id = 102", own, "schema"},
		"another owner": {"ALTER TABLE sessions OWNER TO postgres", own, "owner"},
		"short timeout": {timeout("5s"), own, "timeouts"},
		"long timeout":  {timeout("6s"), own, ""},
		"no such host":  {"SELECT ''", func(*pgtest.Database) string { return "postgres://a@127.0.0.1:1/a" }, "database"},
		"no such base":  {"SELECT ''", func(db *pgtest.Database) string { return db.URL + "&database=nothing" }, "database"},
		"no URL at all": {"SELECT ''", func(*pgtest.Database) string { return "mysql://" }, "database"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := spoiled(t)
			must.Exec(t, db.Admin(), c.spoil)
			found := wrong(postgres.Examine(t.Context(), c.url(db), 5*time.Second))
			_, ok := found[c.want]
			assert.Thatf(t, len(found) == len(c.want[:min(1, len(c.want))]) && (ok || c.want == ""), "found %q, want %q", found, c.want)
		})
	}
}

// TestExamineAfterAChangeOfOrder checks a server with another version of the default collation.
func TestExamineAfterAChangeOfOrder(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	db.ChangeOrder(t)
	found := wrong(postgres.Examine(t.Context(), db.URL, time.Second))
	run := "REINDEX DATABASE " + db.Pool.Config().ConnConfig.Database + ";"
	assert.Thatf(t, len(found) == 1 && strings.Contains(found["collation"], run), "found %q", found)
}

// TestExamineAsAStranger checks a role that has all rights on the tables, but doesn't own them.
func TestExamineAsAStranger(t *testing.T) {
	t.Parallel()
	db := spoiled(t)
	query(t, db.AdminURL, "CREATE ROLE stranger LOGIN")
	query(t, db.AdminURL, "GRANT ALL ON ALL TABLES IN SCHEMA public TO stranger")
	stranger := as(t, db, "stranger")
	message := wrong(postgres.Examine(t.Context(), stranger, time.Second))["owner"]
	assert.Thatf(t, strings.HasPrefix(message, `"stranger" does not own a`) && strings.Contains(message, " objects more: ") &&
		strings.Contains(message, "their owner (onlyonce)"), "got %q", message)
}

func TestClock(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for off, fine := range map[time.Duration]bool{0: true, time.Second: true, -time.Second: true, time.Minute: false, -time.Minute: false} {
		f := postgres.Clock(now, now.Add(off), now.Add(time.Millisecond))
		assert.Thatf(t, (f.Err == nil) == fine && f.Minor, "%v: %+v", off, f)
	}
}

// TestMigrateAgain checks that every migration can be undone, with the tables of jobs, and applied again.
func TestMigrateAgain(t *testing.T) {
	t.Parallel()
	db := spoiled(t)
	config, err := pgx.ParseConfig(db.URL)
	must.OK(t, err)
	std := stdlib.OpenDB(*config)
	defer std.Close()
	provider, err := goose.NewProvider(goose.DialectPostgres, std, migrations.FS)
	must.OK(t, err)
	if _, err := provider.DownTo(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	const left = `SELECT count(*) FROM (
		SELECT relnamespace, relname FROM pg_class WHERE relname !~ '^goose_db_version'
		UNION ALL SELECT pronamespace, proname FROM pg_proc
		UNION ALL SELECT typnamespace, typname FROM pg_type WHERE typtype = 'd'
	) AS made (schema, name) WHERE schema = current_schema()::regnamespace`
	wantValue(t, db.URL, left, "0")
	const jobs = "SELECT COALESCE(to_regclass('river.river_job')::text, 'none')"
	wantValue(t, db.URL, jobs, "none")
	for range 2 {
		must.OK(t, migrated(t.Context(), db.URL))
	}
	wantValue(t, db.URL, jobs, "river.river_job")
}

// TestQueuedImportGoesOn checks that the job of an import that an earlier version has queued gets the name that it has now.
func TestQueuedImportGoesOn(t *testing.T) {
	t.Parallel()
	db := spoiled(t)
	config, err := pgx.ParseConfig(db.URL)
	must.OK(t, err)
	std := stdlib.OpenDB(*config)
	defer std.Close()
	provider, err := goose.NewProvider(goose.DialectPostgres, std, migrations.FS)
	must.OK(t, err)
	if _, err := provider.DownTo(t.Context(), 251); err != nil {
		t.Fatal(err)
	}
	must.Exec(t, db.Admin(), `
		INSERT INTO river.river_job (kind, queue, args, max_attempts) VALUES ('customer_import', 'customer_imports', '{}', 25)`)
	must.OK(t, migrated(t.Context(), db.URL))
	wantValue(t, db.URL, `SELECT kind || ' in ' || queue FROM river.river_job`, "import in imports")
}

// TestMigrateWithNothingToDo checks that Migrate doesn't wait for the lock if all migrations were applied, including River's. If one is
// missing, the holder of the lock may be applying it.
func TestMigrateWithNothingToDo(t *testing.T) {
	t.Parallel()
	for name, table := range map[string]string{"ours": "goose_db_version", "of jobs": "river.river_migration"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := spoiled(t)
			tx, err := db.Admin().Begin(t.Context())
			must.OK(t, err)
			defer func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) }()
			must.Exec(t, tx, `SELECT pg_advisory_xact_lock(6665108111)`)
			must.OK(t, migrated(t.Context(), db.URL))
			last := `DELETE FROM ` + table + ` WHERE ctid IN (SELECT ctid FROM ` + table + ` ORDER BY 1 DESC LIMIT 1)`
			must.Exec(t, db.Admin(), last)
			waits, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			if err := migrated(waits, db.URL); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("with one missing: %v", err)
			}
		})
	}
}

// TestMigrateNamesWhatItWaitsFor waits for a lock of a session that is idle in a transaction.
func TestMigrateNamesWhatItWaitsFor(t *testing.T) {
	t.Parallel()
	for name, lock := range map[string]string{
		"the lock of migrations":   `SELECT pg_advisory_xact_lock(6665108111)`,
		"a table":                  `LOCK TABLE goose_db_version IN SHARE MODE`, // it can still be read
		"a table, before the lock": `LOCK TABLE goose_db_version`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := spoiled(t)
			config, err := pgx.ParseConfig(db.URL)
			must.OK(t, err)
			std := stdlib.OpenDB(*config)
			defer std.Close()
			provider, err := goose.NewProvider(goose.DialectPostgres, std, migrations.FS)
			must.OK(t, err)
			if _, err := provider.Down(t.Context()); err != nil {
				t.Fatal(err)
			}
			idle, err := pgx.Connect(t.Context(), db.URL+"&application_name=left-open")
			must.OK(t, err)
			defer idle.Close(context.WithoutCancel(t.Context()))
			must.Exec(t, idle, "BEGIN")
			must.Exec(t, idle, lock)

			holder := fmt.Sprintf("process %d (user %s, application left-open, idle in transaction)", idle.PgConn().PID(), server.Role)
			var log strings.Builder
			err = postgres.MigrateWithin(t.Context(), db.URL, slog.New(slog.NewTextHandler(&log, nil)), 100*time.Millisecond, time.Second)
			first := strings.Contains(name, "before")
			ended := strings.Contains(fmt.Sprint(err), holder) || first && errors.Is(err, context.DeadlineExceeded)
			assert.Thatf(t, ended, "it ended with %v", err)
			assert.Thatf(t, strings.Count(log.String(), holder) >= 2 || first, "it logged %s", log.String())
			must.Exec(t, idle, "ROLLBACK")
			must.OK(t, migrated(t.Context(), db.URL))
		})
	}
}
