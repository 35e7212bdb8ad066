// Package pgtest gives every test a PostgreSQL database of its own, with the app's schema,
// on a real server that lives as long as the test process.
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
package pgtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/postgres"
	"onlyonce/internal/postgres/server"
)

// Main runs the tests of a package and stops the server that they used. Call it from
// TestMain; it does not return.
func Main(m *testing.M) {
	code := m.Run()
	if err := shared.stop(); err != nil {
		fmt.Fprintln(os.Stderr, "pgtest:", err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// Long marks a test that takes long by its nature, because it builds programs, kills them or waits for the clock.
// go test -short, and with it make quick, leaves it out.
func Long(tb testing.TB) {
	tb.Helper()
	if testing.Short() {
		tb.Skip("it takes long") //nolint:forbidigo // nothing is missing
	}
}

// Database is a database for one test.
type Database struct {
	URL      string        // as the app's role, which owns the database and is no superuser
	AdminURL string        // as the superuser
	Pool     *pgxpool.Pool // on URL, as the app opens it; closed when the test ends
}

// New makes a database with the current schema and no rows. It is dropped when the test ends.
func New(t testing.TB) *Database {
	t.Helper()
	return newFrom(t, template)
}

func newFrom(t testing.TB, template string) *Database {
	t.Helper()
	db, drop, err := clone(t.Context(), template)
	if err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	t.Cleanup(func() {
		if err := drop(); err != nil {
			t.Errorf("pgtest: %v", err)
		}
	})
	return db
}

// Run is New for an example, which has no [testing.TB]: the database is there while work runs.
func Run(ctx context.Context, work func(*Database) error) error {
	db, drop, err := clone(ctx, template)
	if err != nil {
		return err
	}
	return errors.Join(work(db), drop())
}

func clone(ctx context.Context, template string) (db *Database, drop func() error, err error) {
	cluster, err := shared.start()
	if err != nil {
		return nil, nil, fmt.Errorf("start PostgreSQL: %w", err)
	}
	name, err := cluster.clone(ctx, template)
	if err != nil {
		return nil, nil, err
	}
	db = &Database{
		URL:      server.URL(cluster.dir, server.Role, name),
		AdminURL: server.URL(cluster.dir, server.Superuser, name),
	}
	remove := func() error { return cluster.drop(context.Background(), name) }
	if db.Pool, err = postgres.Open(ctx, db.URL); err != nil {
		return nil, nil, errors.Join(err, remove())
	}
	return db, func() error {
		db.Pool.Close()
		return remove()
	}, nil
}

// Admin opens a pool on the database as the superuser, who may end other people's
// connections, change the schema and see the rows of all tenants. It is closed when the test
// ends. It is none that the app could open, which refuses superusers.
func (d *Database) Admin(t testing.TB) *pgxpool.Pool {
	t.Helper()
	pool, err := pgxpool.New(t.Context(), d.AdminURL+"&timezone=UTC&pool_max_conns=16")
	if err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	t.Cleanup(pool.Close)
	return pool
}
