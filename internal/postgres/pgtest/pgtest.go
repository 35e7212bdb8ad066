// Package pgtest provides each test with its own PostgreSQL database, with the app's schema and no rows, on a server that runs until
// the test process ends.
//
//	func TestMain(m *testing.M) { pgtest.Main(m) }
//
//	func TestSomething(t *testing.T) {
//		t.Parallel()
//		db := pgtest.New(t) // db.Pool, db.URL
//	}
//
// The server is started for the first database. It is not durable: its data is in memory if possible, and it never waits for a disk.
//
// A database is emptied and reused by the next test, with its connections, because making them takes far longer. A test that changes
// more than rows (the schema, settings of the database, rows that migrations made) must call [Database.Spoil], and its database is
// dropped. A test that forgets to do so fails: the database refuses changes of its schema, and its state is compared after the test.
package pgtest

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres"
)

// Main runs the tests of a package and stops their server. Call it from TestMain; it does not return. It adds the flag -update, unless the
// package has one, see [Executed]. Unless the package or
// the command line sets -parallel, it runs four tests for each processor: many wait for a lock or a timeout.
func Main(m interface{ Run() int }) {
	parallel := strconv.Itoa(4 * runtime.GOMAXPROCS(0))
	flag.Visit(func(set *flag.Flag) { // before the command line is read: by the package
		if set.Name == "test.parallel" {
			parallel = set.Value.String()
		}
	})
	if err := flag.Set("test.parallel", parallel); err != nil {
		panic(err)
	}
	if flag.Lookup("update") == nil {
		flag.Bool("update", false, "write the executed SQL to testdata, instead of comparing with it")
	}
	code := m.Run()
	if err := shared.stop(); err != nil {
		fmt.Fprintln(os.Stderr, "pgtest:", err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// Long marks a test that takes long because it builds programs, kills them, starts the app several times, waits for the clock or hashes
// many passwords. go test -short, and with it make quick, skips it.
func Long(tb testing.TB) {
	tb.Helper()
	if testing.Short() {
		tb.Skip("it takes long") //nolint:forbidigo // nothing is missing
	}
}

// Database is a database for one test.
type Database struct {
	URL      string        // for the app's role, which owns the database and is no superuser
	AdminURL string        // for the superuser
	Pool     *pgxpool.Pool // on URL, made by postgres.Open; reused with the database

	name     string
	template string
	config   *pgxpool.Config // of Pool; nil before the first test
	admin    *pgxpool.Pool   // see Admin; reused with the database
	state    string          // the state at the start of a test, see empty.sql; unused once it is spoiled
	spoiled  bool            // dropped at the end of the test, not reused
}

// New returns a database with the current schema and no rows. When the test ends, its rows are deleted and another test reuses it,
// which is several times as fast as a new one. So the test must not change the schema without [Database.Spoil].
func New(t testing.TB) *Database {
	t.Helper()
	return newFrom(t, template, (*cluster).take)
}

// newFrom returns a database for the test, taken by how.
func newFrom(t testing.TB, template string, how func(*cluster, context.Context, string) (*Database, error)) *Database {
	t.Helper()
	db, giveBack, err := get(t.Context(), template, how)
	must.Thatf(t, err == nil, "pgtest: %v", err)
	t.Cleanup(func() {
		err := giveBack()
		assert.Thatf(t, err == nil, "pgtest: %v", err)
	})
	return db
}

// get returns a database and the function to call at the end of the test.
func get(
	ctx context.Context, template string, how func(*cluster, context.Context, string) (*Database, error),
) (db *Database, giveBack func() error, err error) {
	cluster, err := shared.start()
	if err != nil {
		return nil, nil, fmt.Errorf("start PostgreSQL: %w", err)
	}
	if db, err = how(cluster, ctx, template); err != nil {
		return nil, nil, err
	}
	if err = db.open(ctx); err != nil {
		return nil, nil, errors.Join(err, cluster.drop(context.WithoutCancel(ctx), db))
	}
	return db, func() error { return cluster.giveBack(context.WithoutCancel(ctx), db) }, nil
}

// open opens the pool for a test, unless it is still open from the last one.
func (d *Database) open(ctx context.Context) error {
	if d.Pool != nil {
		return nil
	}
	if d.config == nil {
		pool, err := postgres.Open(ctx, d.URL)
		if err != nil {
			return err
		}
		d.config = pool.Config()
		pool.Close()
	}
	pool, err := pgxpool.NewWithConfig(ctx, d.config.Copy())
	d.Pool = pool
	return err
}

// Run is New for an example, which has no [testing.TB]. The database exists while work runs, and may be spoiled.
func Run(ctx context.Context, work func(*Database) error) error {
	db, giveBack, err := get(ctx, template, (*cluster).clone)
	if err != nil {
		return err
	}
	return errors.Join(work(db), giveBack())
}

// Admin returns a pool on the database for the superuser, who may end other connections, change the schema and see the rows of all
// tenants. The app could not open it, because it refuses superusers. Don't close it: it stays with the database, and its sessions are
// reset when the test ends.
func (d *Database) Admin() *pgxpool.Pool { return d.admin }

// IsOfRiver fails unless the only job, which a trigger has inserted, equals the job that this program's version of River inserts. It
// returns the job, as JSON.
func (d *Database) IsOfRiver(t testing.TB, job river.JobArgs) (trigger string) {
	t.Helper()
	client, err := river.NewClient(riverpgxv5.New(d.Pool), &river.Config{Schema: postgres.JobSchema})
	if err == nil {
		_, err = client.Insert(t.Context(), job, nil)
	}
	var library string
	if err == nil {
		const jobs = `(to_jsonb(j) - 'id' - 'created_at' - 'scheduled_at')::text ORDER BY id`
		err = d.admin.QueryRow(t.Context(), `SELECT (array_agg(`+jobs+`))[1], (array_agg(`+jobs+`))[2] FROM river.river_job j`).
			Scan(&trigger, &library)
	}
	assert.Thatf(t, err == nil && trigger == library, "the trigger inserts\n%s\nand River\n%s, %v", trigger, library, err)
	return trigger
}

// ChangeOrder changes the order of text by the default collation, as an upgrade of the operating system can, for connections that are
// made afterwards. It spoils the database. Its indexes stay as they are.
func (d *Database) ChangeOrder(t testing.TB) {
	t.Helper()
	d.Spoil(t)
	_, err := d.admin.Exec(t.Context(), `
		DO $$ BEGIN
			EXECUTE format($sql$
				UPDATE pg_database SET datlocprovider = 'i', %I = 'en-US', datcollversion = '0' WHERE datname = current_database()$sql$,
				CASE WHEN current_setting('server_version_num')::integer < 170000 THEN 'daticulocale' ELSE 'datlocale' END);
		END $$`)
	must.Thatf(t, err == nil, "pgtest: %v", err)
}
