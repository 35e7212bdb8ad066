package idempotency_test

import (
	"fmt"
	"testing"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/proof/must"
)

// TestYoungDatabase: statements that were prepared and planned while the tables were small do not read them whole
// when they have grown, even before PostgreSQL analyzes them again and plans anew.
func TestYoungDatabase(t *testing.T) {
	t.Parallel()
	inBothStyles(t, func(b *bundle, create idempotency.Operation[order, item]) {
		config := b.DB.Pool.Config()
		config.MaxConns = 1 // whose plans are those that are kept
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
		for i := range 10 { // after five times PostgreSQL plans for any arguments, and keeps that plan
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

// readWhole counts the rows that were read by going through a whole table.
func (b *bundle) readWhole() int {
	b.Helper()
	// Each connection tells what it did now and then, or when it is asked.
	must.Exec(b, b.Store.Pool, `SELECT pg_stat_force_next_flush()`)
	return b.count(`SELECT sum(seq_tup_read) FROM pg_stat_user_tables WHERE relname IN ('intents', 'items')`)
}
