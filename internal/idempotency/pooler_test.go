package idempotency_test

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"onlyonce/internal/idempotency"
)

// TestBothStylesBehindAPooler checks both styles without prepared statements, where pgx encodes a value by its Go type alone.
func TestBothStylesBehindAPooler(t *testing.T) {
	inBothStyles(t, func(b *bundle, create idempotency.Operation[order, item]) {
		config := b.DB.Pool.Config()
		config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec
		b.Store.Pool = b.pool(config)
		for _, replayed := range []bool{false, true} {
			if done, err := create.Do(b.Context(), b.Store, b.Intent("k"), order{"a"}); err != nil || done.Replayed != replayed {
				b.Errorf("replayed %v: %+v, %v", replayed, done, err)
			}
		}
	})
}
