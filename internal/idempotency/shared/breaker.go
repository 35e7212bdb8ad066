package shared

import (
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	// tries is the number of failed requests in a row after which Redis gets a rest.
	tries = 3
	// rest is the length of that rest, after which one request is sent.
	rest = time.Second
)

// breaker limits the cost of a Redis that is down, slow or stuck. It is a [redis.Limiter].
type breaker struct {
	log *slog.Logger

	mu     sync.Mutex
	failed int // in a row
	until  time.Time
}

// Allow returns [ErrResting], or nil if a request may be sent.
func (b *breaker) Allow() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.failed < tries {
		return nil
	}
	if time.Now().Before(b.until) {
		return ErrResting
	}
	b.until = time.Now().Add(rest) // the others wait for the result of this one
	return nil
}

// ReportResult counts unanswered requests. An error reply from Redis counts as an answer, because it took no time.
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
