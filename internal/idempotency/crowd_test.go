package idempotency_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"testing"

	"onlyonce/internal/idempotency"
)

// TestCrowdTakesOneConnection checks that attempts that wait for a key in one process leave the rest of the pool free.
func TestCrowdTakesOneConnection(t *testing.T) {
	b := setup(t)
	create := idempotency.Define(spec())
	const crowd = 50
	lock := b.lockItems()
	done, errs := make([]idempotency.Done[item], crowd), make([]error, crowd)
	wait := rush(crowd, func(i int) {
		done[i], errs[i] = create.Do(context.Background(), b.Store, b.Intent("k"), order{"a"})
	})
	b.Waiting(1)
	for b.Store.Attempts() < crowd {
		runtime.Gosched()
	}
	if n := b.Store.Pool.Stat().AcquiredConns(); n != 1 {
		t.Errorf("%d connections are taken", n)
	}
	lock()
	wait()
	if first := b.firsts(done, errs, 1); first != 1 || b.count(`SELECT count(*) FROM items`) != 1 || b.Store.Attempts() != 0 {
		t.Errorf("%d were first, %d attempts are left", first, b.Store.Attempts())
	}
}

// TestCrowdWithTwoCommands checks that of two commands with one key, one is carried out and the other is a mismatch.
func TestCrowdWithTwoCommands(t *testing.T) {
	b := setup(t)
	create := idempotency.Define(spec())
	const crowd = 20
	done, errs := make([]idempotency.Done[item], crowd), make([]error, crowd)
	rush(crowd, func(i int) {
		done[i], errs[i] = create.Do(context.Background(), b.Store, b.Intent("k"), order{[]string{"a", "b"}[i%2]})
	})()
	first := slices.IndexFunc(done, func(d idempotency.Done[item]) bool { return d.Value.Name != "" && !d.Replayed })
	if first < 0 {
		t.Fatalf("nobody was first: %v", errs)
	}
	for i := range crowd {
		var mismatch *idempotency.MismatchError
		switch {
		case i%2 == first%2 && (errs[i] != nil || done[i].Value != done[first].Value):
			t.Errorf("same command: %+v, %v", done[i], errs[i])
		case i%2 != first%2 && (!errors.As(errs[i], &mismatch) || mismatch.Record != done[first].Value.ID):
			t.Errorf("other command: %+v, %v", done[i], errs[i])
		}
	}
	if n := b.count(`SELECT count(*) FROM items`); n != 1 {
		t.Errorf("%d items", n)
	}
}
