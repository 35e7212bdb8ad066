package pgtest_test

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
)

// leave takes a database, runs work on it as the superuser, and returns it. The results are the database's name and the error of
// giveBack.
func leave(t *testing.T, work func(*pgtest.Database, *pgx.Conn)) (name string, returned error) {
	t.Helper()
	db, giveBack, err := pgtest.Take(t.Context())
	must.OK(t, err)
	conn, err := pgx.Connect(t.Context(), db.AdminURL)
	must.OK(t, err)
	defer conn.Close(t.Context())
	work(db, conn)
	return db.Pool.Config().ConnConfig.Database, giveBack()
}

// something inserts rows, some in tables from which the app cannot delete, and one with a number of a sequence.
const something = `
	INSERT INTO tenants (id, name) SELECT gen_random_uuid(), 'Tenant ' || n FROM generate_series(1, 10) AS n;
	INSERT INTO intents (tenant_id, operation, key, fingerprint, attempt_id, record_id, outcome, actor, expires_at)
	SELECT id, 'customer.upsert', 'k', sha256(''), gen_random_uuid(), id, 'created', 'test', now() FROM tenants;
	INSERT INTO river.river_job (kind, args, max_attempts) VALUES ('test', '{}', 1)`

func TestDatabaseIsHandedOnEmpty(t *testing.T) { //nolint:paralleltest // a parallel test could take it in between
	var pid uint32
	first, err := leave(t, func(db *pgtest.Database, conn *pgx.Conn) {
		must.Exec(t, conn, something)
		must.Exec(t, db.Pool, `SET timezone = 'Asia/Tokyo'`)
		must.Exec(t, db.Pool, `SELECT pg_advisory_lock(1)`)
		// A connection that the test has not closed, and that holds locks.
		forgotten, err := pgx.Connect(t.Context(), db.URL)
		must.OK(t, err)
		must.Exec(t, forgotten, `BEGIN; LOCK TABLE tenants`)
		pid = forgotten.PgConn().PID()
	})
	must.OK(t, err)
	second, err := leave(t, func(db *pgtest.Database, conn *pgx.Conn) {
		var timezone string
		var locks int
		err := db.Pool.QueryRow(t.Context(), `
			SELECT current_setting('timezone'), (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory')`).Scan(&timezone, &locks)
		assert.Thatf(t, err == nil && timezone == "UTC" && locks == 0, "the time zone is %s, %d locks, %v", timezone, locks, err)
		tables, err := conn.Query(t.Context(), `
			SELECT schemaname || '.' || tablename FROM pg_tables WHERE schemaname IN ('public', 'river')`)
		must.OK(t, err)
		names, err := pgx.CollectRows(tables, pgx.RowTo[string])
		must.Thatf(t, err == nil && len(names) >= 20, "%q, %v", names, err)
		for _, name := range names {
			var rows int
			must.OK(t, conn.QueryRow(t.Context(), `SELECT count(*) FROM `+name).Scan(&rows))
			migrated := name == "public.goose_db_version" || name == "river.river_migration"
			assert.Thatf(t, (rows > 0) == migrated, "%s has %d rows", name, rows)
		}
		must.Exec(t, conn, something)
		var job, left int
		err = conn.QueryRow(t.Context(), `SELECT id, (SELECT count(*) FROM pg_stat_activity WHERE pid = $1) FROM river.river_job`, pid).
			Scan(&job, &left)
		assert.Thatf(t, err == nil && job == 1 && left == 0,
			"the first job has the number %d, and %d forgotten connection is left, %v", job, left, err)
	})
	assert.Thatf(t, err == nil && second == first, "got %s after %s, %v", second, first, err)
}

func TestWornDatabaseIsNotHandedOn(t *testing.T) { //nolint:paralleltest // a parallel test could take it in between
	names := map[string]bool{}
	for _, sql := range []string{
		`INSERT INTO tenants (id, name) SELECT gen_random_uuid(), repeat(n::text, 10) FROM generate_series(1, 1000) AS n`,
		`INSERT INTO tenants (id, name) VALUES (gen_random_uuid(), 'Test'); ANALYZE`,
		`SELECT`,
	} {
		name, err := leave(t, func(_ *pgtest.Database, conn *pgx.Conn) { must.Exec(t, conn, sql) })
		must.OK(t, err)
		names[name] = true
	}
	assert.Thatf(t, len(names) == 3, "got one again: %v", names)
}

// TestChangesOfMoreThanRows checks that a test that changes more than rows without Spoil fails, and that its database is not reused.
func TestChangesOfMoreThanRows(t *testing.T) {
	t.Parallel()
	for sql, refused := range map[string]bool{
		`CREATE TABLE added ()`:                                      true,
		`DROP INDEX customers_active`:                                true,
		`DROP TRIGGER next_version ON customers`:                     true,
		`ALTER TABLE customers DISABLE TRIGGER USER`:                 true,
		`GRANT DELETE ON intents TO PUBLIC`:                          true,
		`ALTER DOMAIN minor_units DROP CONSTRAINT minor_units_check`: true,
		`CREATE OR REPLACE FUNCTION append_only() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'`: true,
		`ALTER ROLE onlyonce IN DATABASE this SET log_statement = 'all'`:                                       false,
		`ALTER DATABASE this CONNECTION LIMIT 0`:                                                               false,
		`ALTER DATABASE this SET timezone = 'UTC'`:                                                             false,
		`UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'users_email_once'::regclass`:               false,
		`INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, true)`:                           false,
		`DELETE FROM river.river_migration`:                                                                    false,
	} {
		for _, spoils := range []bool{false, true} {
			var got error
			_, returned := leave(t, func(db *pgtest.Database, conn *pgx.Conn) {
				if spoils {
					db.Spoil(t)
				}
				_, got = conn.Exec(t.Context(), strings.ReplaceAll(sql, "this", db.Pool.Config().ConnConfig.Database))
			})
			assert.Thatf(t, (got != nil) == (refused && !spoils) && (returned != nil) == (!refused && !spoils),
				"%s, spoils it: %t: %v, then %v", sql, spoils, got, returned)
			for _, err := range []error{got, returned} {
				assert.Thatf(t, err == nil || strings.Contains(err.Error(), "Spoil on "), "%s: %v does not name the repair", sql, err)
			}
		}
	}
	// Temporary objects may come and go.
	if _, err := leave(t, func(_ *pgtest.Database, conn *pgx.Conn) {
		must.Exec(t, conn, `
			CREATE TEMPORARY TABLE mine (n int); CREATE FUNCTION pg_temp.f() RETURNS int LANGUAGE sql RETURN 1; DROP TABLE mine`)
	}); err != nil {
		t.Error(err)
	}
}
