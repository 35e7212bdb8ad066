package idempotency_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/must"
)

func TestExpiryKeepsTheRetention(t *testing.T) {
	b := setup(t)
	create := idempotency.Define(spec())
	b.OK(create.Do(t.Context(), b.Store, b.Intent("k"), order{"a"}))
	for _, step := range []struct {
		age  string
		want int64
	}{{"23 hours 59 minutes", 0}, {"2 minutes", 1}} {
		must.Exec(t, b.DB.Admin(), `UPDATE intents SET expires_at = expires_at - $1::interval`, step.age)
		if n, err := idempotency.Expire(t.Context(), b.Store.Pool, b.Tenant); n != step.want || err != nil {
			t.Errorf("%s older: deleted %d, %v, want %d", step.age, n, err, step.want)
		}
	}
}

// Each key is retried while results expire concurrently. There must be one item for each key.
func TestExpiryDuringCreates(t *testing.T) {
	b := setup(t)
	b.Store.Retain = time.Millisecond
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
				if _, err := idempotency.Expire(context.Background(), b.Store.Pool, b.Tenant); err != nil {
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
				_, err := create.Do(context.Background(), b.Store, b.Intent(fmt.Sprint("k", k)), order{fmt.Sprint("item ", k)})
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
	if n := b.count(`SELECT count(*) FROM items`); n != keys {
		t.Errorf("%d items, want %d", n, keys)
	}
}
