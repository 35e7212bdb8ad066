package idempotency_test

import (
	"context"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

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

func (b *bundle) pool(config *pgxpool.Config) *pgxpool.Pool {
	b.Helper()
	pool, err := pgxpool.NewWithConfig(b.Context(), config)
	must.OK(b, err)
	b.Cleanup(pool.Close)
	return pool
}

func TestRoundTrips(t *testing.T) {
	b := setup(t)
	var trips atomic.Int64
	config := b.DB.Pool.Config()
	config.MaxConns = 1
	dial := config.ConnConfig.DialFunc
	config.ConnConfig.DialFunc = func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dial(ctx, network, addr)
		return wire{conn, new(atomic.Bool), &trips}, err
	}
	b.Store.Pool = b.pool(config)
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
		if got := trips.Load() - before; got != step.want {
			t.Errorf("%s: %d round trips, want %d (%v)", step.name, got, step.want, err)
		}
	}
}
