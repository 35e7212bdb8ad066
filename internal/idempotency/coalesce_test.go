package idempotency

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/google/uuid"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
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

// TestMemoryIsBoundedInBytes checks that a process uses about as much memory as Store.Memory, for results of any size.
func TestMemoryIsBoundedInBytes(t *testing.T) { //nolint:paralleltest // it measures the heap
	const bound = 16 << 20
	for name, result := range map[string]int{"no result": 0, "an invoice": 2 << 10, "500 lines": 200 << 10} {
		t.Run(name, func(t *testing.T) {
			var m memory
			took := 0
			for range 3 { // leftovers of earlier tests may grow or be freed meanwhile, but hardly three times
				m = memory{}
				before := heap()
				for i := range 4 * bound / (overhead + result) {
					k := intentKey{uuid.New(), "item.create", NewKey()}
					m.add(k, stored{result: make([]byte, result), moment: moment{epoch: uuid.NewString()}}, bound)
					must.Thatf(t, m.bytes <= bound, "%d bytes after %d", m.bytes, i)
				}
				if took = heap() - before; took >= bound/2 && took <= bound*5/4 {
					break
				}
			}
			if took > bound*5/4 || took < bound/2 {
				t.Errorf("%d copies take %d bytes of %d", m.copies.Len(), took, bound)
			}
			for m.copies.Len() > 0 {
				m.copies.RemoveOldest()
			}
			assert.Thatf(t, m.bytes == 0, "%d bytes are counted of nothing", m.bytes)
		})
	}
}

func heap() int {
	runtime.GC()
	runtime.GC() // the garbage allocated during the first run
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// Age shifts the time of the database's last answer into the past.
func (s *Store) Age(by time.Duration) {
	s.known.mu.Lock()
	defer s.known.mu.Unlock()
	s.known.heard.asked = s.known.heard.asked.Add(-by)
}

// Remembered returns the number of copies in the process, and their size in bytes.
func (s *Store) Remembered() (intents, bytes int) {
	s.known.mu.Lock()
	defer s.known.mu.Unlock()
	if s.known.copies == nil {
		return 0, s.known.bytes
	}
	return s.known.copies.Len(), s.known.bytes
}
