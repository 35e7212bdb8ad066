package idempotency

import (
	"context"
	"crypto/sha256"
	"log/slog"
	"time"

	"github.com/google/uuid"
)

// Request is SHA-256 of all that decides a command and its answer, besides the tenant and the key. The zero value is that of a
// request that is not to be known again by its bytes.
type Request [sha256.Size]byte

// answered is how a repeat was answered.
type answered struct {
	request Request
	answer  []byte
	fields  []slog.Attr // of the attempt
}

// size is about how many bytes of memory it takes.
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

// Again returns the answer that [Done.Keep] was given for the same request, if [Operation.Do] would find the same without the
// database. That is an attempt, which is observed.
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

// keep remembers an answer beside the copy that it was made from, if that is still there.
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
