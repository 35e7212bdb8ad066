package idempotency_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/must"
)

// TestNoWaitIsEndless checks that waits of less than a millisecond end, although PostgreSQL takes 0 as no limit.
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

// TestTimeoutsOfTheRole checks a role whose timeouts are shorter than Wait. With a short statement_timeout, a waiting repeat returns
// ErrInProgress. A short lock_timeout has no effect, because the app sets its own.
func TestTimeoutsOfTheRole(t *testing.T) {
	t.Parallel()
	for setting, want := range map[string]error{
		"statement_timeout": idempotency.ErrInProgress,
		"lock_timeout":      nil,
	} {
		t.Run(setting, func(t *testing.T) {
			inBothStyles(t, func(b *bundle, create idempotency.Operation[order, item]) {
				patient := b.warmStore(create, 10*time.Second)
				config := b.DB.Pool.Config()
				config.ConnConfig.RuntimeParams[setting] = "500ms"
				hurried := b.replica()
				hurried.Pool = b.pool(config)
				b.OK(create.Do(b.Context(), hurried, b.Intent("warm"), order{"warm"}))

				unlock := b.lockItems()
				answers := make(chan error, 2)
				ask := func(store *idempotency.Store) {
					_, err := create.Do(context.Background(), store, b.Intent("k"), order{"a"})
					answers <- err
				}
				go ask(patient)
				b.Waiting(1)
				go ask(hurried)
				if want == nil {
					must.Until(b, "both have waited for longer than the setting", func() bool {
						return b.count(`
							SELECT count(*) FROM pg_stat_activity
							WHERE datname = current_database() AND wait_event_type = 'Lock'
								AND clock_timestamp() - query_start > '1 s'`) == 2
					})
					unlock()
				}
				if err := <-answers; !errors.Is(err, want) {
					b.Errorf("a repeat while the first runs: %v", err)
				}
				if want != nil {
					unlock()
				}
				if err := <-answers; err != nil {
					b.Error(err)
				}
			})
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
