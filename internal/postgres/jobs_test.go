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

	"onlyonce/internal/must"
	"onlyonce/internal/postgres"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/postgres/server"
	"onlyonce/migrations"
)

// TestMigrateAgain checks that every migration can be undone, with the tables of jobs, and applied again.
func TestMigrateAgain(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	db.Spoil(t)
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
	if got := query(t, db.URL, left); got != "0" {
		t.Errorf("%s objects are left", got)
	}
	const jobs = "SELECT COALESCE(to_regclass('river.river_job')::text, 'none')"
	if got := query(t, db.URL, jobs); got != "none" {
		t.Errorf("%s is left", got)
	}
	for range 2 {
		must.OK(t, migrated(t.Context(), db.URL))
	}
	if got := query(t, db.URL, jobs); got != "river.river_job" {
		t.Errorf("the jobs are in %s", got)
	}
}

// TestMigrateWithNothingToDo checks that Migrate doesn't wait for the lock if all migrations were applied, including River's. If one is
// missing, the holder of the lock may be applying it.
func TestMigrateWithNothingToDo(t *testing.T) {
	t.Parallel()
	for name, table := range map[string]string{"ours": "goose_db_version", "of jobs": "river.river_migration"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := pgtest.New(t)
			db.Spoil(t)
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
			db := pgtest.New(t)
			db.Spoil(t)
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
			if ended := strings.Contains(fmt.Sprint(err), holder) || first && errors.Is(err, context.DeadlineExceeded); !ended {
				t.Errorf("it ended with %v", err)
			}
			if strings.Count(log.String(), holder) < 2 && !first {
				t.Errorf("it logged %s", log.String())
			}
			must.Exec(t, idle, "ROLLBACK")
			must.OK(t, migrated(t.Context(), db.URL))
		})
	}
}
