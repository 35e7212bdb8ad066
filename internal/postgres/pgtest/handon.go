package pgtest

import (
	"context"
	_ "embed" // for empty.sql
	"errors"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

//go:embed empty.sql
var emptySQL string

// take returns the database that was given back last, because its pages are still in memory, or makes one.
func (c *cluster) take(ctx context.Context, template string) (*Database, error) {
	c.mu.Lock()
	if free := c.free[template]; len(free) > 0 {
		defer c.mu.Unlock()
		last := len(free) - 1
		c.free[template] = free[:last]
		return free[last], nil
	}
	c.mu.Unlock()
	db, err := c.clone(ctx, template)
	if err != nil {
		return nil, err
	}
	db.spoiled = false
	if _, err = db.admin.Exec(ctx, emptySQL); err == nil {
		err = db.admin.QueryRow(ctx, `SELECT pgtest.state()`).Scan(&db.state)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("prepare a database: %w", err), c.drop(context.WithoutCancel(ctx), db))
	}
	return db, nil
}

// giveBack empties a database for the next test, or drops it. It returns an error if the test has changed more than rows.
func (c *cluster) giveBack(ctx context.Context, db *Database) error {
	admin, whole := resetSessions(ctx, db.admin)
	if db.spoiled || !whole {
		return c.drop(ctx, db)
	}
	own, whole := resetSessions(ctx, db.Pool)
	if !whole {
		db.Pool.Close()
		db.Pool = nil
	}
	var (
		state string
		worn  bool
	)
	err := db.admin.QueryRow(ctx, `SELECT state, worn FROM pgtest.empty($1)`, append(admin, own...)).Scan(&state, &worn)
	if err == nil && state != db.state {
		err = fmt.Errorf("the test changed more than rows and did not call Spoil on its database, which was\n%s\nand is\n%s",
			db.state, state)
	}
	if err != nil || worn {
		return errors.Join(err, c.drop(ctx, db))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.free[db.template] = append(c.free[db.template], db)
	return nil
}

// Spoil lets the test change the schema of the database, its settings, or rows of its migrations. The database is dropped when the test
// ends.
func (d *Database) Spoil(t testing.TB) {
	t.Helper()
	if d.spoiled {
		return
	}
	d.spoiled = true
	_, err := d.admin.Exec(t.Context(), `
		DROP EVENT TRIGGER pgtest_changed;
		DROP EVENT TRIGGER pgtest_dropped;
		SET LOCAL client_min_messages = warning;
		DROP SCHEMA pgtest CASCADE`)
	if err != nil {
		t.Fatalf("pgtest: %v", err)
	}
}

// resetSessions resets the connections of a pool for the next test. Their prepared statements stay, because planning them again takes
// longer than most tests. It reports whether the pool is whole: the test has not closed it and uses no connection.
func resetSessions(ctx context.Context, pool *pgxpool.Pool) (pids []uint32, whole bool) {
	for _, conn := range pool.AcquireAllIdle(ctx) {
		_, err := conn.Exec(ctx, `
			SET SESSION AUTHORIZATION DEFAULT; RESET ALL; SELECT pg_advisory_unlock_all();
			UNLISTEN *; DISCARD SEQUENCES; DISCARD TEMP`, pgx.QueryExecModeSimpleProtocol)
		if err == nil {
			pids = append(pids, conn.Conn().PgConn().PID())
		}
		conn.Release()
	}
	return pids, len(pids) > 0 && len(pids) == int(pool.Stat().TotalConns())
}
