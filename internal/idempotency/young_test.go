package idempotency_test

import (
	"fmt"
	"testing"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/must"
)

// TestYoungDatabase checks that statements that were prepared and planned on small tables don't scan the grown tables, even before
// PostgreSQL analyzes and plans them again.
func TestYoungDatabase(t *testing.T) {
	t.Parallel()
	inBothStyles(t, func(b *bundle, create idempotency.Operation[order, item]) {
		config := b.DB.Pool.Config()
		config.MaxConns = 1 // the one with the cached plans
		b.Store.Pool = b.pool(config)
		createAndRepeat := func(name string) {
			b.Helper()
			for range 2 {
				b.OK(create.Do(b.Context(), b.replica(), b.Intent(name), order{name}))
			}
			if _, used, err := create.Used(b.Context(), b.Store, b.Tenant, b.Intent(name).Key); !used || err != nil {
				b.Errorf("%s: used %v, %v", name, used, err)
			}
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
		if n := b.readWhole() - before; n > 0 {
			b.Errorf("%d rows were read by going through whole tables", n)
		}
	})
}

// readWhole returns the number of rows read by sequential scans.
func (b *bundle) readWhole() int {
	b.Helper()
	// Each connection reports its statistics now and then, or on request.
	must.Exec(b, b.Store.Pool, `SELECT pg_stat_force_next_flush()`)
	return b.count(`SELECT sum(seq_tup_read) FROM pg_stat_user_tables WHERE relname IN ('intents', 'items')`)
}
