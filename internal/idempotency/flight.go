package idempotency

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// flights let one attempt of each intent ask the database, for all those in this process that came
// while it was asking: a crowd with one key costs one connection and one transaction. They share what it
// found and never its failure. This saves work and decides nothing: that is up to the database.
type flights struct {
	mu    sync.Mutex
	aloft map[flightKey]*flight
}

// flightKey is a slot and who asks: others may not be shown the same.
type flightKey struct {
	slot

	actor string
}

type flight struct {
	landed chan struct{} // closed when stored and err are there
	stored record
	err    error
}

// share gives what ask finds, or what another attempt with the key finds meanwhile. It waits for the
// other until wait is over or the caller leaves, and returns [ErrInProgress] then.
func (f *flights) share(ctx context.Context, key flightKey, wait time.Duration, ask func() (record, error)) (record, error) {
	patience := time.NewTimer(wait)
	defer patience.Stop()
	for {
		other, mine := f.board(key)
		if other == nil {
			return f.fly(key, mine, ask)
		}
		select {
		case <-other.landed:
			if other.err == nil {
				return other.stored, nil
			}
		case <-patience.C:
			return record{}, ErrInProgress
		case <-ctx.Done():
			return record{}, fmt.Errorf("%w: %w", ErrInProgress, context.Cause(ctx))
		}
	}
}

// board gives the flight that is in the air, or opens one.
func (f *flights) board(key flightKey) (other, mine *flight) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if other := f.aloft[key]; other != nil {
		return other, nil
	}
	if f.aloft == nil {
		f.aloft = map[flightKey]*flight{}
	}
	mine = &flight{landed: make(chan struct{}), err: ErrUnavailable}
	f.aloft[key] = mine
	return nil, mine
}

// fly asks, and lands even if ask panics.
func (f *flights) fly(key flightKey, mine *flight, ask func() (record, error)) (record, error) {
	defer func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.aloft, key)
		close(mine.landed)
	}()
	mine.stored, mine.err = ask()
	return mine.stored, mine.err
}
