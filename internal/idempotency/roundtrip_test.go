package idempotency_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/assert"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/must"
)

// wire counts round trips on the connection: each begins with a write after a read. A pgx tracer would not see the messages that a
// pipeline sends together.
type wire struct {
	net.Conn

	heard *atomic.Bool
	trips *atomic.Int64
}

func (w wire) Write(p []byte) (int, error) {
	if w.heard.Swap(false) {
		w.trips.Add(1)
	}
	return w.Conn.Write(p)
}

func (w wire) Read(p []byte) (int, error) {
	n, err := w.Conn.Read(p)
	w.heard.Store(true)
	return n, err
}

// pool returns a pool like the bundle's, with a change.
func (b *bundle) pool(change func(*pgxpool.Config)) *pgxpool.Pool {
	b.Helper()
	config := b.DB.Pool.Config()
	change(config)
	pool, err := pgxpool.NewWithConfig(b.Context(), config)
	must.OK(b, err)
	b.Cleanup(pool.Close)
	return pool
}

// single limits a pool to one connection.
func single(c *pgxpool.Config) { c.MaxConns = 1 }

// wrapping limits a pool to one connection, and wraps each connection that is dialed.
func wrapping(wrap func(net.Conn) net.Conn) func(*pgxpool.Config) {
	return func(c *pgxpool.Config) {
		single(c)
		dial := c.ConnConfig.DialFunc
		c.ConnConfig.DialFunc = func(ctx context.Context, network, addr string) (net.Conn, error) {
			conn, err := dial(ctx, network, addr)
			return wrap(conn), err
		}
	}
}

func TestRoundTrips(t *testing.T) {
	b := setup(t)
	var trips atomic.Int64
	b.Store.Pool = b.pool(wrapping(func(conn net.Conn) net.Conn { return wire{conn, new(atomic.Bool), &trips} }))
	must.OK(t, b.Store.Pool.Ping(t.Context()))
	create := idempotency.Define(spec())

	elsewhere := b.replica()

	// Claim, work, stored result and commit included.
	for _, step := range []struct {
		name  string
		since time.Duration // the database last answered
		store *idempotency.Store
		key   string
		item  string
		want  int64
	}{
		{"first create of a connection, which parses the statements", 0, b.Store, "a", "1", 2},
		{"create", 0, b.Store, "b", "2", 1},
		{"replay", 0, b.Store, "a", "1", 0},
		{"mismatch", 0, b.Store, "a", "3", 0},
		{"replay after a silence", 6 * time.Second, b.Store, "a", "1", 1},
		{"and behind it", 0, b.Store, "b", "2", 0},
		{"replay of what another process did", 0, elsewhere, "a", "1", 2},
		{"name taken", 0, b.Store, "c", "1", 1},
		{"create after a failure", 0, b.Store, "d", "4", 1},
	} {
		step.store.Age(step.since)
		before := trips.Load()
		_, err := create.Do(t.Context(), step.store, b.Intent(step.key), order{step.item})
		got := trips.Load() - before
		assert.Thatf(t, got == step.want, "%s: %d round trips, want %d (%v)", step.name, got, step.want, err)
	}
}

// TestBothStylesBehindAPooler checks both styles without prepared statements, where pgx encodes a value by its Go type alone.
func TestBothStylesBehindAPooler(t *testing.T) {
	inBothStyles(t, func(b *bundle, create idempotency.Operation[order, item]) {
		b.Store.Pool = b.pool(func(c *pgxpool.Config) { c.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec })
		for _, replayed := range []bool{false, true} {
			done, err := create.Do(b.Context(), b.Store, b.Intent("k"), order{"a"})
			assert.Thatf(b, err == nil && done.Replayed == replayed, "replayed %v: %+v, %v", replayed, done, err)
		}
	})
}

// TestArgumentThatCannotBeEncoded checks that an argument outside the range of its PostgreSQL type fails before anything is sent. The
// attempt is neither sent again nor unconfirmed, and the connection stays usable.
func TestArgumentThatCannotBeEncoded(t *testing.T) {
	t.Parallel()
	inStyles(t, func(b *bundle, a item, rename renaming, _ finishing) {
		b.Store.Pool = b.pool(single)
		b.OK(rename.Do(b.Context(), b.Store, b.Of("first", a.ID, 1), order{"b"})) // prepares the statements
		before := b.Store.Pool.Stat().AcquireCount()
		_, err := rename.Do(b.Context(), b.Store, b.Of("k", a.ID, 1<<31), order{"c"}) // a version is an integer
		for _, wrong := range []error{idempotency.ErrUnconfirmed, idempotency.ErrUnavailable, idempotency.ErrBusy, nil} {
			assert.Thatf(b, !errors.Is(err, wrong), "got %v", err)
		}
		if n := b.Store.Pool.Stat().AcquireCount() - before; n != 1 {
			b.Errorf("%d tries", n)
		}
		if _, err := rename.Do(b.Context(), b.Store, b.Of("k", a.ID, 2), order{"c"}); err != nil {
			b.Errorf("with the version that it has: %v", err)
		}
		if n := b.Store.Pool.Stat().NewConnsCount(); n != 1 {
			b.Errorf("%d connections, want the first one", n)
		}
	})
}

// TestYoungDatabase checks that statements that were prepared and planned on small tables don't scan the grown tables, even before
// PostgreSQL analyzes and plans them again.
func TestYoungDatabase(t *testing.T) {
	t.Parallel()
	inBothStyles(t, func(b *bundle, create idempotency.Operation[order, item]) {
		b.Store.Pool = b.pool(single) // the connection with the cached plans
		createAndRepeat := func(name string) {
			b.Helper()
			for range 2 {
				b.OK(create.Do(b.Context(), b.replica(), b.Intent(name), order{name}))
			}
			_, used, err := create.Definition.Used(b.Context(), b.Store, b.Tenant, b.Intent(name).Key)
			assert.Thatf(b, used && err == nil, "%s: used %v, %v", name, used, err)
		}
		createAndRepeat("first")
		b.Exec(`ANALYZE`)
		for i := range 10 { // after five executions PostgreSQL caches a generic plan
			createAndRepeat(fmt.Sprint("young ", i))
		}
		b.Exec(`
			INSERT INTO items SELECT tenant_id, gen_random_uuid(), n FROM items, generate_series(1, 5000) AS n WHERE name = 'first';
			INSERT INTO intents (tenant_id, operation, key, fingerprint, attempt_id, record_id, outcome, actor, result, expires_at)
			SELECT tenant_id, operation, 'past ' || n, fingerprint, attempt_id, record_id, outcome, actor, result, expires_at
			FROM intents, generate_series(1, 5000) AS n WHERE key = 'first'`)
		before := b.readWhole()
		createAndRepeat("grown")
		n := b.readWhole() - before
		assert.Thatf(b, n <= 0, "%d rows were read by going through whole tables", n)
	})
}

// readWhole returns the number of rows read by sequential scans.
func (b *bundle) readWhole() int {
	b.Helper()
	// Each connection reports its statistics now and then, or on request.
	must.Exec(b, b.Store.Pool, `SELECT pg_stat_force_next_flush()`)
	return b.count(`SELECT sum(seq_tup_read) FROM pg_stat_user_tables WHERE relname IN ('intents', 'items')`)
}
