package idempotency_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"onlyonce/internal/idempotency"
)

func TestExpiryKeepsTheRetention(t *testing.T) {
	b := setup(t)
	create := idempotency.Define(spec())
	if _, err := create.Do(t.Context(), b.store, b.intent("k"), order{"a"}); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		age  string
		want int64
	}{{"23 hours 59 minutes", 0}, {"2 minutes", 1}} {
		if _, err := b.db.Admin(t).Exec(t.Context(),
			`UPDATE intents SET expires_at = expires_at - $1::interval`, step.age); err != nil {
			t.Fatal(err)
		}
		if n, err := idempotency.Expire(t.Context(), b.store.Pool, b.tenant); n != step.want || err != nil {
			t.Errorf("%s older: deleted %d, %v, want %d", step.age, n, err, step.want)
		}
	}
}

// A result is forgotten, an intent never: neither that it was carried out, nor for which command.
func TestLateRetry(t *testing.T) {
	t.Parallel()
	inBothStyles(t, func(b *bundle, create idempotency.Operation[order, thing]) {
		first, err := create.Do(b.Context(), b.store, b.intent("k"), order{"a"})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := b.db.Admin(b.T).Exec(b.Context(), `UPDATE intents SET expires_at = now() - interval '1 second'`); err != nil {
			b.Fatal(err)
		}
		if n, err := idempotency.Expire(b.Context(), b.store.Pool, b.tenant); n != 1 || err != nil {
			b.Fatalf("erased %d results, %v", n, err)
		}
		for _, store := range []*idempotency.Store{b.store, b.replica()} {
			var done *idempotency.AlreadyDoneError
			_, err = create.Do(b.Context(), store, b.intent("k"), order{"a"})
			if !errors.As(err, &done) || done.Record != first.Value.ID {
				b.Errorf("the same command: %v, want already done as %s", err, first.Value.ID)
			}
			var mismatch *idempotency.MismatchError
			_, err = create.Do(b.Context(), store, b.intent("k"), order{"b"})
			if !errors.As(err, &mismatch) || mismatch.Record != first.Value.ID {
				b.Errorf("another command: %v, want a mismatch with %s", err, first.Value.ID)
			}
		}
		if n := b.count(`SELECT count(*) FROM things`); n != 1 {
			b.Errorf("%d things", n)
		}
	})
}

// Keys are retried while their results expire all the time: whatever each attempt meets, there is one
// thing for each key.
func TestExpiryDuringCreates(t *testing.T) {
	b := setup(t)
	b.store.Retain = time.Millisecond
	create := idempotency.Define(spec())
	stop := make(chan struct{})
	var sweepers, clients sync.WaitGroup
	for range 2 {
		sweepers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if _, err := idempotency.Expire(context.Background(), b.store.Pool, b.tenant); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	const keys, retries = 20, 10
	gate := make(chan struct{})
	for k := range keys {
		for range retries {
			clients.Go(func() {
				<-gate
				_, err := create.Do(context.Background(), b.store, b.intent(fmt.Sprint("k", k)), order{fmt.Sprint("thing ", k)})
				var done *idempotency.AlreadyDoneError
				if err != nil && !errors.As(err, &done) {
					t.Error(err)
				}
			})
		}
	}
	close(gate)
	clients.Wait()
	close(stop)
	sweepers.Wait()
	if n := b.count(`SELECT count(*) FROM things`); n != keys {
		t.Errorf("%d things, want %d", n, keys)
	}
}
