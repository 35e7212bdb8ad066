package idempotency_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/assert"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/must"
)

func TestWorkWithoutResultIsRolledBack(t *testing.T) {
	b := setup(t)
	s := spec()
	s.Statements = func(tx *idempotency.Tx, o order) idempotency.Result {
		tx.Exec(`INSERT INTO items (tenant_id, id, name) VALUES (@tenant_id, @record_id, @name)`, pgx.NamedArgs{"name": o.Name})
		return tx.Return(`SELECT json_build_object('id', id) FROM items WHERE name = 'somebody else'`, nil)
	}
	_, err := idempotency.Define(s).Do(t.Context(), b.Store, b.Intent("k"), order{"a"})
	assert.Thatf(t, err != nil, "a NULL result was accepted")
	b.want(0, `SELECT (SELECT count(*) FROM items) + (SELECT count(*) FROM intents)`)
}

func TestReplayOfWhatMayNoLongerBeSeen(t *testing.T) {
	t.Parallel()
	inStylesOf(t, spec, interactive, func(b *bundle, spec idempotency.Spec[order, item]) {
		spec.Deletes = true
		create := idempotency.Define(spec)
		for range 2 {
			_, err := create.Do(b.Context(), b.Store, b.Intent("k"), order{"a"})
			must.OK(b, err)
		}
		b.Exec(`DELETE FROM items`)
		done, err := create.Do(b.Context(), b.Store, b.Intent("k"), order{"a"})
		assert.Thatf(b, errors.Is(err, idempotency.ErrNotVisible) && done.Value == (item{}), "got %+v, %v", done, err)
	})
}

func TestWaitsForTheFirstAttempt(t *testing.T) {
	t.Parallel()
	inBothStyles(t, func(b *bundle, create idempotency.Operation[order, item]) {
		lock := b.lockItems()

		type answer struct {
			done idempotency.Done[item]
			err  error
		}
		answers := make(chan answer, 2)
		for _, store := range []*idempotency.Store{b.Store, b.replica()} {
			go func() {
				done, err := create.Do(context.Background(), store, b.Intent("k"), order{"a"})
				answers <- answer{done, err}
			}()
		}
		b.Waiting(2) // one on the table, one on the uncommitted record
		lock()
		one, two := <-answers, <-answers
		assert.Thatf(b, one.err == nil && two.err == nil && one.done.Replayed != two.done.Replayed && one.done.Value == two.done.Value,
			"%+v and %+v", one, two)
	})
}

// A new connection whose preparation timed out has prepared only some statements. It must still work for the next attempt.
func TestConnectionIsGoodAfterPreparingTimedOut(t *testing.T) {
	b := setup(t)
	create := idempotency.Define(spec())
	store := &idempotency.Store{Pool: b.pool(single), Wait: 50 * time.Millisecond, Timeout: 20 * time.Second}

	lock := b.lockItems()
	_, err := create.Do(t.Context(), store, b.Intent("k"), order{"a"})
	assert.Thatf(t, errors.Is(err, idempotency.ErrBusy), "locked table: %v, want busy", err)
	lock()
	b.OK(create.Do(t.Context(), store, b.Intent("k"), order{"a"}))
}

// warmStore returns a store with one connection that has prepared the statements, because parsing would wait for a locked table too.
func (b *bundle) warmStore(create idempotency.Operation[order, item], wait time.Duration) *idempotency.Store {
	b.Helper()
	store := &idempotency.Store{Pool: b.pool(single), Wait: wait, Timeout: 20 * time.Second}
	name := fmt.Sprint("warm ", wait.Nanoseconds())
	b.OK(create.Do(b.Context(), store, b.Intent(name), order{name}))
	return store
}

// start begins an attempt with the key k, and returns its error when it has ended.
func (b *bundle) start(create idempotency.Operation[order, item], store *idempotency.Store) <-chan error {
	ended := make(chan error, 1)
	go func() {
		_, err := create.Do(context.Background(), store, b.Intent("k"), order{"a"})
		ended <- err
	}()
	return ended
}

// lockItems blocks every insert of an item until the returned function is called.
func (b *bundle) lockItems() (unlock func()) {
	b.Helper()
	return b.lockTable(`SHARE ROW EXCLUSIVE`)
}

func (b *bundle) lockTable(mode string) (unlock func()) {
	b.Helper()
	tx, err := b.DB.Admin().Begin(b.Context())
	must.OK(b, err)
	must.Exec(b, tx, `LOCK TABLE items IN `+mode+` MODE`)
	return func() {
		must.OK(b, tx.Rollback(context.Background()))
	}
}

func TestCallerLeavesMidTransaction(t *testing.T) {
	t.Parallel()
	inBothStyles(t, func(b *bundle, create idempotency.Operation[order, item]) {
		lock := b.lockItems()
		ctx, leave := context.WithCancel(b.Context())
		answer := make(chan error, 1)
		go func() {
			_, err := create.Do(ctx, b.Store, b.Intent("k"), order{"a"})
			answer <- err
		}()
		b.Waiting(1)
		leave()
		lock()
		must.OK(b, <-answer) // the commit is finished
		b.want(1, `SELECT count(*) FROM items`)
	})
}

func TestCallerLeavesBeforeAnythingWasSent(t *testing.T) {
	b := setup(t)
	ctx, leave := context.WithCancel(t.Context())
	leave()
	_, err := idempotency.Define(spec()).Do(ctx, b.Store, b.Intent("k"), order{"a"})
	assert.Thatf(t, errors.Is(err, context.Canceled), "got %v", err)
	b.want(0, `SELECT count(*) FROM items`)
}

func TestBackendTerminatedMidTransaction(t *testing.T) {
	t.Parallel()
	inBothStyles(t, func(b *bundle, create idempotency.Operation[order, item]) {
		lock := b.lockItems()
		answer := make(chan error, 1)
		go func() {
			done, err := create.Do(context.Background(), b.Store, b.Intent("k"), order{"a"})
			if done.Replayed {
				err = errors.New("our own work counts as a replay")
			}
			answer <- err
		}()
		b.Waiting(1)
		b.want(1, `
			SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
			WHERE datname = current_database() AND wait_event_type = 'Lock'`)
		b.Waiting(1) // it reads the intent again
		lock()
		must.OK(b, <-answer)
		b.want(1, `SELECT count(*) FROM items`)
	})
}

// A snapshot from before the wait would not include the committed intent.
func TestRunsUnderReadCommittedWhateverTheDefault(t *testing.T) {
	b := setup(t)
	b.Store.Pool = b.pool(func(c *pgxpool.Config) {
		c.ConnConfig.RuntimeParams["default_transaction_isolation"] = "repeatable read"
	})
	s := spec()
	s.Statements = func(tx *idempotency.Tx, _ order) idempotency.Result {
		return tx.Return(`SELECT json_build_object('id', @record_id::uuid, 'name', current_setting('transaction_isolation'))`, nil)
	}
	done, err := idempotency.Define(s).Do(t.Context(), b.Store, b.Intent("k"), order{"a"})
	assert.Thatf(t, err == nil && done.Value.Name == "read committed", "ran under %q, %v", done.Value.Name, err)
}

func TestExpiryKeepsTheRetention(t *testing.T) {
	b := setup(t)
	create := idempotency.Define(spec())
	b.OK(create.Do(t.Context(), b.Store, b.Intent("k"), order{"a"}))
	for _, step := range []struct {
		age  string
		want int64
	}{{"23 hours 59 minutes", 0}, {"2 minutes", 1}} {
		must.Exec(t, b.DB.Admin(), `UPDATE intents SET expires_at = expires_at - $1::interval`, step.age)
		n, err := idempotency.Expire(t.Context(), b.Store.Pool, b.Tenant)
		assert.Thatf(t, n == step.want && err == nil, "%s older: deleted %d, %v, want %d", step.age, n, err, step.want)
	}
}

// Each key is retried while results expire concurrently. There must be one item for each key.
func TestExpiryDuringCreates(t *testing.T) {
	b := setup(t)
	b.Store.Retain = time.Millisecond
	create := idempotency.Define(spec())
	stop := make(chan struct{})
	sweepers := rush(2, func(int) {
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
	const keys, retries = 20, 10
	rush(keys*retries, func(i int) {
		k := i % keys
		_, err := create.Do(context.Background(), b.Store, b.Intent(fmt.Sprint("k", k)), order{fmt.Sprint("item ", k)})
		var done *idempotency.AlreadyDoneError
		assert.Thatf(t, err == nil || errors.As(err, &done), "%v", err)
	})()
	close(stop)
	sweepers()
	b.want(keys, `SELECT count(*) FROM items`)
}
