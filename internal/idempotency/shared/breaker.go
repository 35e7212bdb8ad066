package shared

import (
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	// tries is how many questions in a row go unanswered before Redis is left alone.
	tries = 3
	// rest is for how long. Then one question is asked.
	rest = time.Second
)

// breaker bounds what a Redis costs that is down, slow or stuck. It is a [redis.Limiter].
type breaker struct {
	log *slog.Logger

	mu     sync.Mutex
	failed int // in a row
	until  time.Time
}

// Allow returns [ErrResting], or nil for a question that may be asked.
func (b *breaker) Allow() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.failed < tries {
		return nil
	}
	if time.Now().Before(b.until) {
		return ErrResting
	}
	b.until = time.Now().Add(rest) // the others wait for what becomes of this one
	return nil
}

// ReportResult counts what was not answered. An error that Redis answers with is an answer: it took no time.
func (b *breaker) ReportResult(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, answered := errors.AsType[redis.Error](err); err == nil || answered {
		if b.failed >= tries {
			b.log.Info("Redis answers again: intents and limits are shared")
		}
		b.failed = 0
		return
	}
	b.failed++
	b.until = time.Now().Add(rest)
	if b.failed == tries {
		b.log.Warn("Redis does not answer: intents are looked up in the database, and each replica counts limits by itself", "error", err)
	}
}
