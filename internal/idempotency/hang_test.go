package idempotency_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"onlyonce/internal/idempotency"
)

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
	if err != nil || done.Replayed || done.Value.ID == lost {
		t.Errorf("another attempt while the first one hangs: %+v, %v", done, err)
	}
	select {
	case err := <-answer:
		t.Errorf("it did not hang: %v", err)
	default:
	}
	close(goOn)
	if err := <-answer; !errors.Is(err, idempotency.ErrUnavailable) && !errors.Is(err, idempotency.ErrUnconfirmed) {
		t.Errorf("the one that hung: %v", err)
	}
	if n := b.count(`SELECT count(*) FROM items`); n != 1 {
		t.Errorf("%d items", n)
	}
	if n := b.count(`SELECT count(*) FROM intents WHERE record_id = '` + done.Value.ID.String() + `'`); n != 1 {
		t.Errorf("%d intents of the one that is there", n)
	}
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
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
	if n := b.count(`SELECT (SELECT count(*) FROM items) + (SELECT count(*) FROM intents)`); n != 0 {
		t.Errorf("%d rows left", n)
	}
	done, err := idempotency.Define(interactive()).Do(t.Context(), b.Store, b.Intent("k"), order{"a"})
	if err != nil || done.Replayed {
		t.Errorf("trying again: %+v, %v", done, err)
	}
}
