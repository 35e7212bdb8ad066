package idempotency

import (
	"context"
	"crypto/sha256"
	"log/slog"
	"time"

	"github.com/google/uuid"
)

// Request is the SHA-256 of everything besides tenant and key that determines a command and its answer. The zero value means that the
// request's repeats are not recognized by their bytes.
type Request [sha256.Size]byte

// answered is the answer to a repeat.
type answered struct {
	request Request
	answer  []byte
	fields  []slog.Attr // of its attempt, for the log
}

// size returns the approximate size in memory, in bytes.
func (a *answered) size() int {
	if a == nil {
		return 0
	}
	const itself, field = 128, 64
	size := itself + cap(a.answer)
	for _, f := range a.fields {
		size += field + len(f.Value.String())
	}
	return size
}

// Again returns the answer that [Done.Keep] stored for the same request, if [Operation.Do] would return the same result without the
// database. That counts as an attempt, and is observed.
func (d *Definition) Again(ctx context.Context, store *Store, intent Intent) (answer []byte, ok bool) {
	if intent.Request == (Request{}) {
		return nil, false
	}
	start := time.Now()
	c, ok := store.known.get(intentKey{intent.Tenant, d.spec.Name, intent.Key})
	if !ok || c.answered == nil || c.answered.request != intent.Request || store.known.trust(c) != sure {
		return nil, false
	}
	store.observe(ctx, Attempt{
		Operation: d.spec.Name, Intent: intent, Outcome: Replayed, Record: c.record, Duration: time.Since(start),
		Fields: c.answered.fields,
	})
	return c.answered.answer, true
}

// keep stores an answer with the copy that it was made from, if that copy still exists.
func (m *memory) keep(k intentKey, from uuid.UUID, a *answered, bound int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.copies == nil {
		return
	}
	if c, ok := m.copies.Get(k); ok && c.attempt == from && c.result != nil {
		c.answered = a
		m.put(k, c, bound)
	}
}
