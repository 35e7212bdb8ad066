package idempotency

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// calls lets one attempt of each intent use the database on behalf of all attempts of this process that arrive meanwhile, so many
// attempts with one key take one connection and one transaction. They share a success, but never an error. This only saves work:
// correctness depends on the database alone.
//
// It is singleflight with a limited wait, and without shared errors.
type calls struct {
	mu      sync.Mutex
	running map[callKey]*call
}

// callKey is an intent and its actor, because another actor may not be allowed to see the same.
type callKey struct {
	intentKey

	actor string
}

type call struct {
	done   chan struct{} // closed when stored and err are set
	stored stored
	err    error
}

// share returns the result of ask, or of a concurrent attempt with the key. It waits for that attempt until wait is over or ctx is done,
// and then returns [ErrInProgress].
func (c *calls) share(ctx context.Context, key callKey, wait time.Duration, ask func() (stored, error)) (stored, error) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for {
		other, mine := c.join(key)
		if other == nil {
			return c.run(key, mine, ask)
		}
		select {
		case <-other.done:
			if other.err == nil {
				return other.stored, nil
			}
		case <-timer.C:
			return stored{}, ErrInProgress
		case <-ctx.Done():
			return stored{}, fmt.Errorf("%w: %w", ErrInProgress, context.Cause(ctx))
		}
	}
}

// join returns the running call, or begins one.
func (c *calls) join(key callKey) (other, mine *call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if other := c.running[key]; other != nil {
		return other, nil
	}
	if c.running == nil {
		c.running = map[callKey]*call{}
	}
	mine = &call{done: make(chan struct{}), err: ErrUnavailable}
	c.running[key] = mine
	return nil, mine
}

// run calls ask, and ends the call even if ask panics.
func (c *calls) run(key callKey, mine *call, ask func() (stored, error)) (stored, error) {
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.running, key)
		close(mine.done)
	}()
	mine.stored, mine.err = ask()
	return mine.stored, mine.err
}
