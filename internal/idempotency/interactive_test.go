package idempotency_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"onlyonce/internal/assert"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/record"
)

// running returns the interactive operation with other work.
func running(work func(context.Context, pgx.Tx, idempotency.Intent, order) (item, error)) idempotency.Operation[order, item] {
	s := interactive()
	s.Run = work
	return idempotency.Define(s)
}

// Work can't end its transaction in any way, and can't use it afterwards.
func TestWorkCannotEndItsTransaction(t *testing.T) {
	b := setup(t)
	insert := interactive().Run
	var kept pgx.Tx
	for name, end := range map[string]func(context.Context, pgx.Tx) error{
		"Commit":   func(ctx context.Context, tx pgx.Tx) error { return tx.Commit(ctx) },
		"Rollback": func(ctx context.Context, tx pgx.Tx) error { return tx.Rollback(ctx) },
		"SQL":      func(ctx context.Context, tx pgx.Tx) error { _, err := tx.Exec(ctx, " -- now\n COMMIT"); return err },
		"ROLLBACK": func(ctx context.Context, tx pgx.Tx) error { _, err := tx.Exec(ctx, "rollback"); return err },
		"END": func(ctx context.Context, tx pgx.Tx) error {
			rows, err := tx.Query(ctx, "/* x */ END")
			if err == nil {
				rows.Close()
			}
			return err
		},
		"QueryRow": func(ctx context.Context, tx pgx.Tx) error { return tx.QueryRow(ctx, "COMMIT").Scan() },
		"Prepare":  func(ctx context.Context, tx pgx.Tx) error { _, err := tx.Prepare(ctx, "end", "COMMIT"); return err },
		"two statements": func(ctx context.Context, tx pgx.Tx) error {
			_, err := tx.Exec(ctx, "SELECT 1; COMMIT", pgx.QueryExecModeSimpleProtocol)
			return err
		},
		"in a savepoint": func(ctx context.Context, tx pgx.Tx) error {
			savepoint, err := tx.Begin(ctx)
			if err != nil {
				return err
			}
			_, err = savepoint.Exec(ctx, "COMMIT")
			return err
		},
		"Conn": func(_ context.Context, tx pgx.Tx) error {
			if tx.Conn() == nil {
				return idempotency.ErrNotYours
			}
			return nil
		},
	} {
		_, err := running(func(ctx context.Context, tx pgx.Tx, intent idempotency.Intent, o order) (item, error) {
			kept = tx
			made, err := insert(ctx, tx, intent, o)
			return made, errors.Join(err, end(ctx, tx))
		}).Do(t.Context(), b.Store, b.Intent("k"), order{"a"})
		assert.Thatf(t, errors.Is(err, idempotency.ErrNotYours), "%s: %v", name, err)
		if _, err := kept.Exec(t.Context(), `SELECT 1`); !errors.Is(err, pgx.ErrTxClosed) {
			t.Errorf("%s: the transaction was kept: %v", name, err)
		}
	}
	b.want(0, `SELECT (SELECT count(*) FROM items) + (SELECT count(*) FROM intents)`)
}

// A part of the work may fail in a savepoint and be done in another way.
func TestSavepoints(t *testing.T) {
	b := setup(t)
	insert := interactive().Run
	b.OK(idempotency.Define(spec()).Do(t.Context(), b.Store, b.Intent("first"), order{"taken"}))
	create := running(func(ctx context.Context, tx pgx.Tx, intent idempotency.Intent, o order) (made item, err error) {
		err = pgx.BeginFunc(ctx, tx, func(tx pgx.Tx) error {
			made, err = insert(ctx, tx, intent, o)
			return err
		})
		if broken, ok := errors.AsType[*pgconn.PgError](err); ok && broken.ConstraintName == "items_name_once" {
			return insert(ctx, tx, intent, order{o.Name + " too"})
		}
		return made, err
	})
	for range 2 {
		done, err := create.Do(t.Context(), b.Store, b.Intent("k"), order{"taken"})
		assert.Thatf(t, err == nil && done.Value.Name == "taken too", "%+v, %v", done, err)
	}
}

// Do returns the error of the work. The key stays free, and the connection usable.
func TestErrorOfTheWork(t *testing.T) {
	b := setup(t)
	insert := interactive().Run
	refuse := true
	create := running(func(ctx context.Context, tx pgx.Tx, intent idempotency.Intent, o order) (item, error) {
		made, err := insert(ctx, tx, intent, o)
		if refuse {
			return item{}, errGone
		}
		return made, err
	})
	if _, err := create.Do(t.Context(), b.Store, b.Intent("k"), order{"a"}); !errors.Is(err, errGone) {
		t.Errorf("got %v", err)
	}
	refuse = false
	if done, err := create.Do(t.Context(), b.Store, b.Intent("k"), order{"a"}); err != nil || done.Replayed {
		t.Errorf("%+v, %v", done, err)
	}
}

// The first answer and the replay are made from the stored result, not from the return value of the work.
func TestFirstAnswerIsTheStoredOne(t *testing.T) {
	b := setup(t)
	type result struct {
		ID   string    `json:"id"`
		At   time.Time `json:"at"`
		Note string    `json:"-"`
	}
	insert := interactive().Run
	create := idempotency.Define(idempotency.Spec[order, result]{
		Name:  "item.create",
		Table: record.Table[result]{Name: "items", Fields: `'name', r.name`},
		Run: func(ctx context.Context, tx pgx.Tx, intent idempotency.Intent, o order) (result, error) {
			_, err := insert(ctx, tx, intent, o)
			return result{intent.Record.String(), time.Now(), "not stored"}, err
		},
	})
	first, err := create.Do(t.Context(), b.Store, b.Intent("k"), order{"a"})
	again, err2 := create.Do(t.Context(), b.Store, b.Intent("k"), order{"a"})
	if err := errors.Join(err, err2); err != nil || first.Value != again.Value {
		t.Errorf("%+v, then %+v, %v", first, again, err)
	}
}

// A result without the id of the record can't be replayed.
func TestResultWithoutID(t *testing.T) {
	b := setup(t)
	insert := interactive().Run
	_, err := idempotency.Define(idempotency.Spec[order, struct{}]{
		Name:  "item.create",
		Table: record.Table[struct{}]{Name: "items", Fields: `'name', r.name`},
		Run: func(ctx context.Context, tx pgx.Tx, intent idempotency.Intent, o order) (struct{}, error) {
			_, err := insert(ctx, tx, intent, o)
			return struct{}{}, err
		},
	}).Do(t.Context(), b.Store, b.Intent("k"), order{"a"})
	assert.Thatf(t, err != nil, "accepted")
	b.want(0, `SELECT (SELECT count(*) FROM items) + (SELECT count(*) FROM intents)`)
}

// A panic of the work leaves neither rows nor a used key or connection.
func TestPanic(t *testing.T) {
	b := setup(t)
	insert := interactive().Run
	create := running(func(ctx context.Context, tx pgx.Tx, intent idempotency.Intent, o order) (item, error) {
		_, _ = insert(ctx, tx, intent, o)
		panic("a mistake")
	})
	for range 3 {
		assert.Thatf(t, panics(func() { _, _ = create.Do(t.Context(), b.Store, b.Intent("k"), order{"a"}) }), "it did not panic")
	}
	done, err := idempotency.Define(interactive()).Do(t.Context(), b.Store, b.Intent("k"), order{"a"})
	assert.Thatf(t, err == nil && !done.Replayed, "%+v, %v", done, err)
	n := b.Store.Pool.Stat().AcquiredConns()
	assert.Thatf(t, n == 0, "%d connections are taken", n)
}

// TestWorkThatHangs checks that PostgreSQL ends the transaction of work that hangs and ignores its context. The key is free then, and
// nothing of the work is kept.
func TestWorkThatHangs(t *testing.T) {
	b := setup(t)
	insert := interactive().Run
	hangs, goOn := make(chan uuid.UUID, 1), make(chan struct{})
	hanging := b.replica()
	hanging.Wait, hanging.Timeout = 100*time.Millisecond, 3*time.Second
	create := running(func(ctx context.Context, tx pgx.Tx, intent idempotency.Intent, o order) (item, error) {
		made, err := insert(ctx, tx, intent, o)
		hangs <- intent.Record
		<-goOn
		return made, err
	})
	answer := make(chan error, 1)
	go func() {
		_, err := create.Do(t.Context(), hanging, b.Intent("k"), order{"a"})
		answer <- err
	}()
	lost := <-hangs

	done, err := idempotency.Define(interactive()).Do(t.Context(), b.Store, b.Intent("k"), order{"a"})
	assert.Thatf(t, err == nil && !done.Replayed && done.Value.ID != lost, "another attempt while the first one hangs: %+v, %v", done, err)
	select {
	case err := <-answer:
		t.Errorf("it did not hang: %v", err)
	default:
	}
	close(goOn)
	if err := <-answer; !errors.Is(err, idempotency.ErrUnavailable) && !errors.Is(err, idempotency.ErrUnconfirmed) {
		t.Errorf("the one that hung: %v", err)
	}
	b.want(1, `SELECT count(*) FROM items`)
	n := b.count(`SELECT count(*) FROM intents WHERE record_id = '` + done.Value.ID.String() + `'`)
	assert.Thatf(t, n == 1, "%d intents of the one that is there", n)
}

// TestWorkIsBounded checks that the context of the work and of the caller end with the attempt's Timeout. Nothing is kept, and the key is
// free.
func TestWorkIsBounded(t *testing.T) {
	b := setup(t)
	insert := interactive().Run
	hanging := b.replica()
	hanging.Wait, hanging.Timeout = 100*time.Millisecond, time.Second
	create := running(func(ctx context.Context, tx pgx.Tx, intent idempotency.Intent, o order) (item, error) {
		_, err := insert(ctx, tx, intent, o)
		<-ctx.Done()
		return item{}, errors.Join(err, ctx.Err())
	})
	began := time.Now()
	if _, err := create.Do(t.Context(), hanging, b.Intent("k"), order{"a"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	took := time.Since(began)
	assert.Thatf(t, took <= 10*time.Second, "it took %v", took)
	b.want(0, `SELECT (SELECT count(*) FROM items) + (SELECT count(*) FROM intents)`)
	done, err := idempotency.Define(interactive()).Do(t.Context(), b.Store, b.Intent("k"), order{"a"})
	assert.Thatf(t, err == nil && !done.Replayed, "trying again: %+v, %v", done, err)
}
