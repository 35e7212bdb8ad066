package idempotency_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/assert"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/must"
)

// TestNoWaitIsEndless checks that waits for a locked key and a locked table end, also those of less than a millisecond, although
// PostgreSQL takes 0 as no limit.
func TestNoWaitIsEndless(t *testing.T) {
	t.Parallel()
	for _, wait := range []time.Duration{0, 100 * time.Microsecond, time.Millisecond - 1, -time.Second, 50 * time.Millisecond} {
		t.Run(fmt.Sprint(wait), func(t *testing.T) {
			b := setup(t)
			create := idempotency.Define(spec())
			patient, impatient := b.warmStore(create, 10*time.Second), b.warmStore(create, wait)
			unlock := b.lockItems()
			first := b.start(create, patient)
			b.Waiting(1)
			began := time.Now()
			if _, err := create.Do(t.Context(), impatient, b.Intent("k"), order{"a"}); !errors.Is(err, idempotency.ErrInProgress) {
				t.Errorf("a repeat while the first runs: %v", err)
			}
			if _, err := create.Do(t.Context(), impatient, b.Intent("other"), order{"b"}); !errors.Is(err, idempotency.ErrBusy) {
				t.Errorf("another key, locked table: %v, want busy", err)
			}
			took := time.Since(began)
			assert.Thatf(t, took <= impatient.Timeout/2, "it waited %v", took)
			unlock()
			must.OK(t, <-first)
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
				hurried := b.replica()
				hurried.Pool = b.pool(func(c *pgxpool.Config) { c.ConnConfig.RuntimeParams[setting] = "500ms" })
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
				must.OK(b, <-answers)
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
		assert.Thatf(t, err != nil && strings.Contains(err.Error(), "must be longer than its Wait"),
			"Wait %v, Timeout %v: %v", store.Wait, store.Timeout, err)
	}
	b.want(0, `SELECT count(*) FROM items`)
}

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
	b.firsts(done, errs, 1)
	b.want(1, `SELECT count(*) FROM items`)
	if n := b.Store.Attempts(); n != 0 {
		t.Errorf("%d attempts are left", n)
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
	must.Thatf(t, first >= 0, "nobody was first: %v", errs)
	for i := range crowd {
		var mismatch *idempotency.MismatchError
		switch {
		case i%2 == first%2 && (errs[i] != nil || done[i].Value != done[first].Value):
			t.Errorf("same command: %+v, %v", done[i], errs[i])
		case i%2 != first%2 && (!errors.As(errs[i], &mismatch) || mismatch.Record != done[first].Value.ID):
			t.Errorf("other command: %+v, %v", done[i], errs[i])
		}
	}
	b.want(1, `SELECT count(*) FROM items`)
}

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
			assert.Thatf(b, errs[i] == nil && !made[i].Replayed && made[i].Value.Name == name, "%s: %+v, %v", name, made[i], errs[i])
			done, err := create.Do(b.Context(), b.replica(), b.Intent(name), order{name})
			assert.Thatf(b, err == nil && done.Replayed && done.Value == made[i].Value,
				"%s again: %+v, %v, want %+v", name, done, err, made[i].Value)
		}
		b.want(2, `SELECT count(*) FROM intents WHERE key IN ('a', 'b', 'c')`)
	})
}

// blockedBy waits until a backend of the database waits for a lock of a kind.
func (b *bundle) blockedBy(kind string) {
	b.Helper()
	admin := b.DB.Admin()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); {
		var waiting bool
		err := admin.QueryRow(b.Context(), `
			SELECT EXISTS (SELECT FROM pg_stat_activity
				WHERE datname = current_database() AND wait_event_type = 'Lock' AND wait_event = $1)`, kind).Scan(&waiting)
		assert.Thatf(b, err == nil, "%v", err)
		if waiting {
			return
		}
	}
	b.Errorf("nobody waits for a lock of kind %s", kind)
}
