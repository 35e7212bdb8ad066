package idempotency

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// Store runs operations on one database, which has both records and intents.
type Store struct {
	Pool *pgxpool.Pool
	// Wait limits how long an attempt waits for a lock, most often for another attempt with its key. It is rounded up to whole
	// milliseconds, and is at least one: no value means to wait forever.
	Wait time.Duration
	// Timeout limits an attempt as a whole, including the wait and the lookups after a lost connection. It must be longer than Wait;
	// otherwise every attempt is an error.
	Timeout time.Duration
	// Retain, if set, overrides the retention of every operation.
	Retain time.Duration
	// Memory limits the size of the copies of settled intents in this process, in bytes; 0 is 8 MiB.
	Memory int
	// Shared, if set, holds copies of settled intents for all processes.
	Shared *Shared
	// Observe, if set, is called with each attempt when it ends.
	Observe func(context.Context, Attempt)

	compiled statements
	known    memory
	calls    calls
	attempts atomic.Int64
}

// Attempts returns how many attempts are running in this process now, including waiting ones.
func (s *Store) Attempts() int { return int(s.attempts.Load()) }

// bound returns Wait rounded to PostgreSQL's unit.
func (s *Store) bound() time.Duration {
	return max(s.Wait+time.Millisecond-1, time.Millisecond).Truncate(time.Millisecond)
}

// wait returns the bound as a PostgreSQL setting, where "0ms" would mean no limit.
func (s *Store) wait() string { return fmt.Sprintf("%dms", s.bound().Milliseconds()) }

func (s *Store) observe(ctx context.Context, a Attempt) {
	if s.Observe != nil {
		s.Observe(ctx, a)
	}
}
