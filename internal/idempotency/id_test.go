package idempotency_test

import (
	"testing"

	"github.com/google/uuid"

	"onlyonce/internal/idempotency"
)

func TestIDs(t *testing.T) {
	t.Parallel()
	record, err := uuid.NewV7()
	if err != nil {
		t.Fatal(err)
	}
	intent := idempotency.Intent{Record: record}
	seen := map[uuid.UUID]bool{}
	for n := range uint64(100) {
		id := intent.ID(n)
		if seen[id] || id.Version() != 7 || id.Variant() != uuid.RFC4122 || id.Time() != record.Time() || id != intent.ID(n) {
			t.Fatalf("%d: %s", n, id)
		}
		seen[id] = true
	}
	if intent.ID(0) != record {
		t.Error("the first is not the record")
	}
}
