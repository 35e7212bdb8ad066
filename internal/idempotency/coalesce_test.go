package idempotency

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"
)

// ask is a query of an attempt that the test answers.
type ask struct {
	asked  chan struct{}
	answer chan error
	found  stored
}

func newAsk() *ask {
	return &ask{make(chan struct{}), make(chan error), stored{attempt: uuid.New()}}
}

func (a *ask) run() (stored, error) {
	close(a.asked)
	return a.found, <-a.answer
}

// noticed is a context that closes waited when a goroutine begins to wait for it.
type noticed struct {
	context.Context //nolint:containedctx // it is a context

	waited chan struct{}
}

func (n noticed) Done() <-chan struct{} {
	close(n.waited)
	return n.Context.Done()
}

func unexpected() (stored, error) { return stored{}, errors.New("asked beside another attempt") }

func TestWaitBehindAnotherAttemptIsBounded(t *testing.T) {
	t.Parallel()
	var f calls
	first := newAsk()
	ended := make(chan error)
	go func() {
		_, err := f.share(context.Background(), callKey{}, time.Hour, first.run)
		ended <- err
	}()
	<-first.asked
	if _, err := f.share(t.Context(), callKey{}, time.Millisecond, unexpected); !errors.Is(err, ErrInProgress) {
		t.Errorf("past the bound: %v", err)
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	if _, err := f.share(gone, callKey{}, time.Hour, unexpected); !errors.Is(err, ErrInProgress) || !errors.Is(err, context.Canceled) {
		t.Errorf("caller left: %v", err)
	}
	first.answer <- nil
	if err := <-ended; err != nil || len(f.running) != 0 {
		t.Errorf("%v, %d calls left", err, len(f.running))
	}
}

// TestOnlyFindingsAreShared checks that attempts that waited for a failed one query again, one at a time.
func TestOnlyFindingsAreShared(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]func(*ask){
		"error": func(a *ask) { a.answer <- errors.New("mine alone") },
		"panic": func(a *ask) { close(a.answer) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var f calls
			first, second := newAsk(), newAsk()
			go func() {
				defer func() { _ = recover() }()
				_, _ = f.share(context.Background(), callKey{}, time.Hour, func() (stored, error) {
					r, err := first.run()
					if err == nil {
						panic("work panics")
					}
					return r, err
				})
			}()
			<-first.asked
			found := make(chan stored, 1)
			behind := noticed{context.Background(), make(chan struct{})}
			go func() {
				r, _ := f.share(behind, callKey{}, time.Hour, second.run)
				found <- r
			}()
			<-behind.waited
			fail(first)
			select {
			case <-second.asked:
				second.answer <- nil
			case r := <-found:
				t.Fatalf("shared a failure: %v", r)
			}
			if r := <-found; r.attempt != second.found.attempt {
				t.Errorf("found %v", r)
			}
		})
	}
}

// TestOthersAreNotShown checks that actors don't share a result, because one may not be allowed to see the other's.
func TestOthersAreNotShown(t *testing.T) {
	t.Parallel()
	var f calls
	first, second := newAsk(), newAsk()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = f.share(context.Background(), callKey{actor: "ada"}, time.Hour, first.run)
	}()
	<-first.asked
	found := make(chan stored)
	go func() {
		r, _ := f.share(context.Background(), callKey{actor: "grace"}, time.Hour, second.run)
		found <- r
	}()
	<-second.asked
	second.answer <- nil
	if r := <-found; r.attempt != second.found.attempt {
		t.Errorf("found %v", r)
	}
	first.answer <- nil
	<-ended
}
