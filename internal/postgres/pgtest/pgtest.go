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

// Database is a database for one test.
type Database struct {
	URL      string        // as the app's role, which owns the database and is no superuser
	AdminURL string        // as the superuser
	Pool     *pgxpool.Pool // on URL, as the app opens it; closed when the test ends
}

// New makes a database with the current schema and no rows. It is dropped when the test ends.
func New(t testing.TB) *Database {
	t.Helper()
	cluster, err := shared.start()
	if err != nil {
		t.Fatalf("pgtest: start PostgreSQL: %v", err)
	}
	name, err := cluster.clone(t.Context())
	if err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	t.Cleanup(func() {
		if err := cluster.drop(context.Background(), name); err != nil {
			t.Errorf("pgtest: %v", err)
		}
	})
	db := &Database{
		URL:      server.URL(cluster.dir, server.Role, name),
		AdminURL: server.URL(cluster.dir, server.Superuser, name),
	}
	if db.Pool, err = postgres.Open(t.Context(), db.URL); err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	t.Cleanup(db.Pool.Close)
	return db
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
