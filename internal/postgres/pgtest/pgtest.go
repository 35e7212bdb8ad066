// Package pgtest gives every test a PostgreSQL database to itself, with the app's schema and no
// rows, on a real server that lives as long as the test process.
//
//	func TestMain(m *testing.M) { pgtest.Main(m) }
//
//	func TestSomething(t *testing.T) {
//		t.Parallel()
//		db := pgtest.New(t) // db.Pool, db.URL
//	}
//
// The server starts with the first database that is asked for. It keeps nothing safe: it
// lives in memory where it can and never waits for a disk.
//
// A database is emptied and handed on to the next test, with its connections, since making them takes far longer. A test
// that changes more than rows (the schema, settings of the database, rows that migrations made)
// says so with [Database.Spoil], and its database is dropped. One that forgets fails: the database
// refuses to change its schema, and is compared with what it was.
package pgtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/postgres"
)

// Main runs the tests of a package and stops the server that they used. Call it from
// TestMain; it does not return.
func Main(m interface{ Run() int }) {
	code := m.Run()
	if err := shared.stop(); err != nil {
		fmt.Fprintln(os.Stderr, "pgtest:", err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// Long marks a test that takes long by its nature, because it builds programs, kills them, starts the app several times, waits for the
// clock or hashes many passwords. go test -short, and with it make quick, leaves it out.
func Long(tb testing.TB) {
	tb.Helper()
	if testing.Short() {
		tb.Skip("it takes long") //nolint:forbidigo // nothing is missing
	}
}

// Database is a database that one test has to itself.
type Database struct {
	URL      string        // as the app's role, which owns the database and is no superuser
	AdminURL string        // as the superuser
	Pool     *pgxpool.Pool // on URL, as the app opens it; handed on with the database

	name     string
	template string
	config   *pgxpool.Config // of Pool; nil before the first test
	admin    *pgxpool.Pool   // see Admin; handed on with the database
	state    string          // how the test gets it, see empty.sql; of no use once it is spoiled
	spoiled  bool            // so that it is dropped, not handed on
}

// New takes a database with the current schema and no rows. When the test ends, its rows are deleted and another test gets
// it, which is several times as fast as a new one. The schema stays as it is therefore: see [Database.Spoil].
func New(t testing.TB) *Database {
	t.Helper()
	return newFrom(t, template, (*cluster).take)
}

// newFrom gets a database for the test with how.
func newFrom(t testing.TB, template string, how func(*cluster, context.Context, string) (*Database, error)) *Database {
	t.Helper()
	db, giveBack, err := get(t.Context(), template, how)
	if err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	t.Cleanup(func() {
		if err := giveBack(); err != nil {
			t.Errorf("pgtest: %v", err)
		}
	})
	return db
}

// get returns a database and what has to be called when the test ends.
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

// open opens the pool for a test, unless the last one has left it.
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

// Run is New for an example, which has no [testing.TB]: the database is there while work runs, and may be spoiled.
func Run(ctx context.Context, work func(*Database) error) error {
	db, giveBack, err := get(ctx, template, (*cluster).clone)
	if err != nil {
		return err
	}
	return errors.Join(work(db), giveBack())
}

// Admin returns a pool on the database as the superuser, who may end other people's
// connections, change the schema and see the rows of all tenants. It is none that the app
// could open, which refuses superusers. Nobody closes it: it stays with the database, and its
// sessions are reset when the test ends.
func (d *Database) Admin() *pgxpool.Pool { return d.admin }
