package idempotency_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"onlyonce/internal/idempotency"
)

// TestNoWaitIsEndless: to PostgreSQL, a wait of no whole millisecond is one without an end.
func TestNoWaitIsEndless(t *testing.T) {
	t.Parallel()
	for _, wait := range []time.Duration{0, 100 * time.Microsecond, time.Millisecond - 1, -time.Second} {
		t.Run(fmt.Sprint(wait), func(t *testing.T) {
			b := setup(t)
			create := idempotency.Define(spec())
			patient, impatient := b.warmStore(create, 10*time.Second), b.warmStore(create, wait)
			unlock := b.lockItems()
			first := make(chan error, 1)
			go func() {
				_, err := create.Do(t.Context(), patient, b.Intent("k"), order{"a"})
				first <- err
			}()
			b.Waiting(1)
			began := time.Now()
			if _, err := create.Do(t.Context(), impatient, b.Intent("k"), order{"a"}); !errors.Is(err, idempotency.ErrInProgress) {
				t.Errorf("a repeat while the first runs: %v", err)
			}
			if took := time.Since(began); took > impatient.Timeout/2 {
				t.Errorf("it waited %v", took)
			}
			unlock()
			if err := <-first; err != nil {
				t.Error(err)
			}
		})
	}
}

func TestTimeoutIsLongerThanWait(t *testing.T) {
	b := setup(t)
	for _, store := range []*idempotency.Store{
		{Pool: b.DB.Pool},
		{Pool: b.DB.Pool, Wait: time.Second, Timeout: time.Second},
		{Pool: b.DB.Pool, Timeout: time.Millisecond},
		{Pool: b.DB.Pool, Wait: -time.Hour, Timeout: -time.Minute},
	} {
		_, err := idempotency.Define(spec()).Do(t.Context(), store, b.Intent("k"), order{"a"})
		if err == nil || !strings.Contains(err.Error(), "must be longer than its Wait") {
			t.Errorf("Wait %v, Timeout %v: %v", store.Wait, store.Timeout, err)
		}
	}
	if n := b.count(`SELECT count(*) FROM items`); n != 0 {
		t.Errorf("%d items", n)
	}
}
