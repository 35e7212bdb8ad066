package idempotency

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/conflict"
	"onlyonce/internal/invalid"
	"onlyonce/internal/record"
)

// Outcome is the outcome of an attempt, for logs and metrics.
type Outcome string

// The outcomes of an attempt.
const (
	Created    Outcome = "created"     // the attempt created the record
	Reused     Outcome = "reused"      // it found the record with the same natural key
	Changed    Outcome = "changed"     // it changed the record
	Unchanged  Outcome = "unchanged"   // there was nothing to change
	Replayed   Outcome = "replayed"    // an earlier attempt with this key did it
	Conflict   Outcome = "conflict"    // a rule of the domain refused it, or the record was changed meanwhile
	Mismatch   Outcome = "mismatch"    // the key was used with another command
	InProgress Outcome = "in_progress" // another attempt is still running
	Rejected   Outcome = "rejected"    // the command is invalid
	Failed     Outcome = "failed"      // anything else
)

// Attempt describes one attempt after it has ended.
type Attempt struct {
	Operation string
	Intent    Intent
	Outcome   Outcome
	// Record is the id of the record that the intent created, found or changed, if it is known.
	Record   uuid.UUID
	Duration time.Duration
	Fields   []slog.Attr
	Err      error

	attempt uuid.UUID // the id of the attempt that did the work, if it is known
}

// LogValue returns the structured form of an attempt, without its result or secrets.
func (a Attempt) LogValue() slog.Value {
	attrs := append(make([]slog.Attr, 0, 7+len(a.Fields)),
		slog.String("operation", a.Operation),
		slog.String("tenant", a.Intent.Tenant.String()),
		slog.String("key", a.Intent.Key.String()),
		slog.String("outcome", string(a.Outcome)),
		slog.Duration("duration", a.Duration))
	if a.Record != uuid.Nil {
		attrs = append(attrs, slog.String("record", a.Record.String()))
	}
	if a.Err != nil {
		attrs = append(attrs, slog.String("error", a.Err.Error()))
	}
	return slog.GroupValue(append(attrs, a.Fields...)...)
}

// outcomeOf classifies an error of Do. until is the outcome so far: Conflict if an error of the domain ended the work.
func outcomeOf(err error, until Outcome) Outcome {
	switch {
	case errors.As(err, new(*MismatchError)):
		return Mismatch
	case errors.As(err, new(*AlreadyDoneError)), errors.Is(err, ErrNotVisible):
		return Replayed
	case errors.Is(err, ErrInProgress):
		return InProgress
	case errors.As(err, new(*invalid.Error)), errors.Is(err, record.ErrNotFound), errors.Is(err, ErrNoVersion):
		return Rejected
	case errors.As(err, new(*conflict.Error)), errors.As(err, new(*StaleError)):
		return Conflict
	case until == Conflict:
		return Conflict
	default:
		return Failed
	}
}

// Reject observes an attempt with invalid input, which never became a command. Its key is still free.
func (d *Definition) Reject(ctx context.Context, store *Store, intent Intent, reason error) {
	store.observe(ctx, Attempt{Operation: d.spec.Name, Intent: intent, Outcome: Rejected, Err: reason})
}

func isConstraint(pg *pgconn.PgError) bool { return len(pg.Code) == 5 && pg.Code[:2] == "23" }

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
