package idempotency_test

import (
	"errors"
	"testing"
	"time"

	"onlyonce/internal/idempotency"
)

// TestKeysThatShareALock checks two keys whose locks have the same hash. They wait for each other, but both are carried out, with their
// own results.
func TestKeysThatShareALock(t *testing.T) {
	t.Parallel()
	inBothStyles(t, func(b *bundle, create idempotency.Operation[order, item]) {
		b.DB.Spoil(b.T)
		b.Exec(`
			CREATE OR REPLACE FUNCTION intent_lock(in_tenant uuid, in_operation text, in_key text) RETURNS bigint
			LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 7`)
		one, other := b.warmStore(create, 10*time.Second), b.warmStore(create, 11*time.Second)
		impatient := b.warmStore(create, time.Millisecond)
		unlock := b.lockItems()
		made := make([]idempotency.Done[item], 2)
		errs := make([]error, 2)
		attempt := func(i int, store *idempotency.Store, key string) (wait func()) {
			return rush(1, func(int) { made[i], errs[i] = create.Do(b.Context(), store, b.Intent(key), order{key}) })
		}
		first := attempt(0, one, "a")
		b.blockedBy("relation")
		second := attempt(1, other, "b")
		b.blockedBy("advisory")
		if _, err := create.Do(b.Context(), impatient, b.Intent("c"), order{"c"}); !errors.Is(err, idempotency.ErrInProgress) {
			b.Errorf("a third one that does not wait: %v", err)
		}
		unlock()
		first()
		second()
		for i, name := range []string{"a", "b"} {
			if errs[i] != nil || made[i].Replayed || made[i].Value.Name != name {
				b.Errorf("%s: %+v, %v", name, made[i], errs[i])
			}
			done, err := create.Do(b.Context(), b.replica(), b.Intent(name), order{name})
			if err != nil || !done.Replayed || done.Value != made[i].Value {
				b.Errorf("%s again: %+v, %v, want %+v", name, done, err, made[i].Value)
			}
		}
		if n := b.count(`SELECT count(*) FROM intents WHERE key IN ('a', 'b', 'c')`); n != 2 {
			b.Errorf("%d intents", n)
		}
	})
}

// blockedBy waits until a backend of the database waits for a lock of a kind.
func (b *bundle) blockedBy(kind string) {
	b.Helper()
	admin := b.DB.Admin()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); {
		var waiting bool
		if err := admin.QueryRow(b.Context(), `
			SELECT EXISTS (SELECT FROM pg_stat_activity
				WHERE datname = current_database() AND wait_event_type = 'Lock' AND wait_event = $1)`, kind).Scan(&waiting); err != nil {
			b.Error(err)
		}
		if waiting {
			return
		}
	}
	b.Errorf("nobody waits for a lock of kind %s", kind)
}
