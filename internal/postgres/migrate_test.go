package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/migrations"
)

// emptied returns a database without a schema.
func emptied(t *testing.T) *pgtest.Database {
	t.Helper()
	db := pgtest.New(t)
	empty(t, db)
	return db
}

// empty drops the schema.
func empty(t *testing.T, db *pgtest.Database) {
	t.Helper()
	db.Spoil(t)
	must.Exec(t, db.Pool, "DROP SCHEMA IF EXISTS public, river CASCADE")
	must.Exec(t, db.Pool, "CREATE SCHEMA public")
}

// migrated is [postgres.Migrate] without a log.
func migrated(ctx context.Context, url string) error {
	return postgres.Migrate(ctx, url, slog.New(slog.DiscardHandler))
}

func TestMigrateFromManyReplicasAtOnce(t *testing.T) {
	t.Parallel()
	pgtest.Long(t)
	db := emptied(t)
	var replicas errgroup.Group
	gate := make(chan struct{})
	for range 12 {
		replicas.Go(func() error {
			<-gate
			return migrated(t.Context(), db.URL)
		})
	}
	close(gate)
	must.OK(t, replicas.Wait())
	must.OK(t, postgres.SchemaCurrent(t.Context(), db.Pool))
	wantValue(t, db.URL, "SELECT count(*) - count(DISTINCT version_id) FROM goose_db_version", "0")
	locks := query(t, db.URL, "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' "+
		"AND database = (SELECT oid FROM pg_database WHERE datname = current_database())")
	assert.Thatf(t, locks == "0", "%s locks are left", locks)
}

// TestMigrateNeedsRights checks that missing rights are found before the first migration. The error has the SQL that grants them.
func TestMigrateNeedsRights(t *testing.T) {
	t.Parallel()
	db := emptied(t)
	query(t, db.AdminURL, "CREATE ROLE newcomer LOGIN")
	query(t, db.AdminURL, "GRANT USAGE ON SCHEMA public TO newcomer")
	query(t, db.AdminURL, "REVOKE USAGE ON LANGUAGE plpgsql FROM PUBLIC")
	newcomer := as(t, db, "newcomer")
	missing := []string{
		"GRANT CREATE ON DATABASE " + db.Pool.Config().ConnConfig.Database + " TO newcomer;",
		"GRANT CREATE ON SCHEMA public TO newcomer;",
		"GRANT USAGE ON LANGUAGE plpgsql TO newcomer;",
	}
	for ; len(missing) > 0; missing = missing[1:] {
		err := migrated(t.Context(), newcomer)
		message := wrong(postgres.Examine(t.Context(), newcomer, time.Second))["rights"]
		assert.Thatf(t, err != nil && err.Error() == message && strings.Contains(message, "run "+strings.Join(missing, " ")+" as"),
			"%v, and Examine found %q, want %q", err, message, missing)
		wantValue(t, db.AdminURL, "SELECT to_regclass('goose_db_version')", "<nil>")
		query(t, db.AdminURL, missing[0])
	}
	must.OK(t, migrated(t.Context(), newcomer))
	found := wrong(postgres.Examine(t.Context(), newcomer, time.Second))
	assert.Thatf(t, len(found) == 0, "found %q", found)
}

// TestMigrateBesideAnotherApp migrates a database with another app's objects, whose names later migrations need.
func TestMigrateBesideAnotherApp(t *testing.T) {
	t.Parallel()
	db := emptied(t)
	query(t, db.URL, "CREATE SCHEMA river")
	query(t, db.URL, "CREATE TABLE customers (name text)")
	query(t, db.URL, "CREATE TABLE external_id ()")
	query(t, db.URL, "CREATE FUNCTION current_tenant() RETURNS integer LANGUAGE sql RETURN 1")
	query(t, db.URL, "CREATE INDEX users_email_once ON customers (name)")
	const taken = "the database has current_tenant(), customers, external_id, schema river, users_email_once, which"
	err := migrated(t.Context(), db.URL)
	message := wrong(postgres.Examine(t.Context(), db.URL, time.Second))["names"]
	assert.Thatf(t, err != nil && err.Error() == message && strings.HasPrefix(message, taken), "%v, and Examine found %q", err, message)
	wantValue(t, db.URL, "SELECT to_regclass('goose_db_version')", "<nil>")
}

// TestMigrateTheRest migrates after a migration has failed and earlier ones were applied.
func TestMigrateTheRest(t *testing.T) {
	t.Parallel()
	db := emptied(t)
	first := fstest.MapFS{}
	for name, file := range all(t) {
		if name < "00106" {
			first[name] = file
		}
	}
	first["00106_refused.sql"] = &fstest.MapFile{Data: []byte("-- +goose Up\nCREATE TABLE half (); SELECT 1 / 0;")}
	if err := postgres.MigrateFrom(t.Context(), db.URL, first); err == nil {
		t.Fatal("the migration was not refused")
	}
	wantValue(t, db.URL, "SELECT to_regclass('half')", "<nil>")
	examine := func() map[string]string { return wrong(postgres.Examine(t.Context(), db.URL, time.Second)) }
	if found := examine(); len(found) != 1 || !strings.Contains(found["schema"], "the migrations after 105") {
		t.Errorf("found %q", found)
	}
	for _, object := range []string{"TABLE goose_db_version", "FUNCTION current_tenant()", "DOMAIN external_id", "SCHEMA river"} {
		query(t, db.AdminURL, "ALTER "+object+" OWNER TO postgres")
		err := migrated(t.Context(), db.URL)
		assert.Thatf(t, err != nil && strings.HasPrefix(err.Error(), `"onlyonce" does not own `), "%s: %v", object, err)
		query(t, db.AdminURL, "ALTER "+object+" OWNER TO onlyonce")
	}
	wantValue(t, db.URL, "SELECT max(version_id) FROM goose_db_version", "105")
	must.OK(t, migrated(t.Context(), db.URL))
	query(t, db.URL, "DELETE FROM river.river_migration WHERE version = (SELECT max(version) FROM river.river_migration)")
	if found := examine(); len(found) != 1 || !strings.Contains(found["schema"], "background jobs") {
		t.Errorf("found %q", found)
	}
}

func TestMigrateThroughTransactionPooler(t *testing.T) {
	t.Parallel()
	db := emptied(t)
	must.OK(t, migrated(t.Context(), db.URL+"&default_query_exec_mode=exec&pool_max_conns=3"))
}

// TestMigrateBesideADeadlock lets a migration and a transaction of the running version wait for each other.
func TestMigrateBesideADeadlock(t *testing.T) {
	t.Parallel()
	db := spoiled(t)
	const gate = 4711
	files := withMore(t, "99999_both.sql", fmt.Sprintf(`
-- +goose Up
		ALTER TABLE customers ADD COLUMN added text;
		SELECT pg_advisory_xact_lock(%d);
		ALTER TABLE users ADD COLUMN added text;`, gate))
	conn := func() *pgx.Conn {
		c, err := pgx.Connect(t.Context(), db.AdminURL)
		must.OK(t, err)
		t.Cleanup(func() { _ = c.Close(context.Background()) })
		return c
	}
	exec := func(c *pgx.Conn, sql string) {
		t.Helper()
		must.Exec(t, c, sql)
	}
	holder, running := conn(), conn()
	exec(holder, fmt.Sprintf("SELECT pg_advisory_lock(%d)", gate))
	// Only the migration looks for deadlocks, so it is undone, not the other transaction.
	exec(running, "SET deadlock_timeout = '1h'")
	exec(running, "BEGIN; LOCK TABLE users IN ACCESS SHARE MODE")

	both, ctx := errgroup.WithContext(t.Context())
	both.Go(func() error { return postgres.MigrateFrom(t.Context(), db.URL, files) })
	awaitLock(ctx, t, db, "locktype = 'advisory'")
	both.Go(func() error {
		_, err := running.Exec(t.Context(), "LOCK TABLE customers IN ACCESS SHARE MODE; COMMIT")
		return err
	})
	awaitLock(ctx, t, db, "relation = 'customers'::regclass")
	exec(holder, fmt.Sprintf("SELECT pg_advisory_unlock(%d)", gate))
	must.OK(t, both.Wait())
	wantValue(t, db.URL, "SELECT count(*) FROM information_schema.columns WHERE column_name = 'added'", "2")
}

// withMore returns the migrations of the program and one more.
func withMore(t *testing.T, name, sql string) fs.FS {
	t.Helper()
	files := all(t)
	files[name] = &fstest.MapFile{Data: []byte(sql)}
	return files
}

// all returns the migrations of the program.
func all(t *testing.T) fstest.MapFS {
	t.Helper()
	files := fstest.MapFS{}
	names, err := fs.Glob(migrations.FS, "*.sql")
	must.OK(t, err)
	for _, name := range names {
		data, err := migrations.FS.ReadFile(name)
		must.OK(t, err)
		files[name] = &fstest.MapFile{Data: data}
	}
	return files
}

// awaitLock waits until a session waits for such a lock, or until ctx ends.
func awaitLock(ctx context.Context, t *testing.T, db *pgtest.Database, which string) {
	t.Helper()
	for waiting := "0"; waiting == "0" && ctx.Err() == nil; {
		waiting = query(t, db.AdminURL, `SELECT count(*) FROM pg_locks WHERE NOT granted AND `+which+`
			AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`)
	}
}

func TestSchemaOfANewerProgram(t *testing.T) {
	t.Parallel()
	db := spoiled(t)
	query(t, db.URL, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, true)")
	for name, err := range map[string]error{
		"Migrate":       migrated(t.Context(), db.URL),
		"SchemaCurrent": postgres.SchemaCurrent(t.Context(), db.Pool),
	} {
		var newer *postgres.SchemaError
		assert.Thatf(t, errors.As(err, &newer) && newer.Database == 99999 && newer.Program < 99999, "%s: %v", name, err)
	}
}

// TestSchemaOfOtherMigrations checks that a database made by other migrations is refused and stays unchanged.
func TestSchemaOfOtherMigrations(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		sql  string
		want []int64
	}{
		"from before the first of ours": {`
			WITH later AS (DELETE FROM goose_db_version WHERE version_id > 103)
			UPDATE goose_db_version SET version_id = version_id - 100 WHERE version_id BETWEEN 101 AND 103`, []int64{1, 2, 3}},
		"with a part that was removed": {
			`UPDATE goose_db_version SET version_id = 100
			WHERE version_id = (SELECT version_id FROM goose_db_version ORDER BY 1 DESC OFFSET 1 LIMIT 1)`,
			[]int64{100},
		},
	} {
		db := spoiled(t)
		query(t, db.URL, c.sql)
		const all = `SELECT
			(SELECT string_agg(relname, ' ' ORDER BY relname) FROM pg_class WHERE relnamespace = current_schema()::regnamespace)
			|| (SELECT string_agg(g::text, ' ' ORDER BY id) FROM goose_db_version g)`
		before := query(t, db.URL, all)
		for step, err := range map[string]error{
			"Migrate":       migrated(t.Context(), db.URL),
			"SchemaCurrent": postgres.SchemaCurrent(t.Context(), db.Pool),
		} {
			var other *postgres.OtherMigrationsError
			assert.Thatf(t, errors.As(err, &other) && slices.Equal(other.Versions, c.want) && strings.Contains(err.Error(), "DATA_DIR"),
				"%s: %s: %v", name, step, err)
		}
		after := query(t, db.URL, all)
		assert.Thatf(t, after == before, "%s: there was %s, and is %s", name, before, after)
	}
}

func TestSchemaOfAnOlderProgram(t *testing.T) {
	t.Parallel()
	db := spoiled(t)
	query(t, db.URL, "DELETE FROM goose_db_version WHERE version_id > 101")
	var older *postgres.SchemaError
	if err := postgres.SchemaCurrent(t.Context(), db.Pool); !errors.As(err, &older) || older.Database != 101 {
		t.Errorf("got %v", err)
	}
	empty(t, db)
	if err := postgres.SchemaCurrent(t.Context(), db.Pool); !errors.As(err, &older) || older.Database != 0 {
		t.Errorf("an empty database: %v", err)
	}
}

func TestSchemaWithAnIndexThatDoesNotWork(t *testing.T) {
	t.Parallel()
	db := spoiled(t)
	query(t, db.AdminURL, "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'users_email_once'::regclass")
	var invalid *postgres.InvalidIndexError
	err := postgres.SchemaCurrent(t.Context(), db.Pool)
	assert.Thatf(t, errors.As(err, &invalid) &&
		slices.Equal(invalid.Names, []string{"users_email_once"}), "got %v", err)
}

func TestServerVersion(t *testing.T) {
	t.Parallel()
	for number, want := range map[int]bool{
		90603: false, 140012: false, 149999: false, 150000: true, 150018: true, 180004: true,
	} {
		var old *postgres.ServerVersionError
		err := postgres.CheckServerVersion(number)
		ok := !errors.As(err, &old)
		assert.Thatf(t, ok == want, "%d: %v", number, err)
	}
}
