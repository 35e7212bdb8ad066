package idempotency_test

import (
	"context"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"onlyonce/internal/idempotency"
)

// TestIDs checks that an intent can make many ids, and that they are the same each time the work is run.
func TestIDs(t *testing.T) {
	b := setup(t)
	var intents []idempotency.Intent
	s := interactive()
	insert := s.Run
	s.Run = func(ctx context.Context, tx pgx.Tx, intent idempotency.Intent, o order) (item, error) {
		intents = append(intents, intent)
		return insert(ctx, tx, intent, o)
	}
	b.OK(idempotency.Define(s).Do(t.Context(), b.Store, b.Intent("k"), order{"a"}))
	intent := intents[0]
	seen := map[uuid.UUID]bool{}
	for n := range uint64(100) {
		id := intent.ID(n)
		if seen[id] || id.Version() != 7 || id.Variant() != uuid.RFC4122 || id.Time() != intent.Record.Time() || id != intent.ID(n) {
			t.Fatalf("%d: %s", n, id)
		}
		seen[id] = true
	}
	if intent.ID(0) != intent.Record {
		t.Error("the first is not the record")
	}
}
