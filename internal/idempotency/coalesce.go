package idempotency

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// calls let one attempt of each intent ask the database, for all those in this process that come while it
// is asking: a crowd with one key costs one connection and one transaction. They share what it found and
// never its failure. This saves work and decides nothing: that is up to the database.
//
// It is singleflight with a bounded wait, and without shared errors.
type calls struct {
	mu      sync.Mutex
	running map[callKey]*call
}

// callKey is an intent and who asks: others may not be shown the same.
type callKey struct {
	intentKey

	actor string
}

type call struct {
	done   chan struct{} // closed when stored and err are there
	stored stored
	err    error
}

// share returns what ask finds, or what another attempt with the key finds meanwhile. It waits for the
// other until wait is over or the caller leaves, and returns [ErrInProgress] then.
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

// join returns the call that is running, or begins one.
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

// run asks, and ends the call even if ask panics.
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
