package idempotency

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
)

// Shared is a cache that the processes of a database have in common: see package shared. It may lose anything at any time. Its values are
// trusted as much as the process's own copies, so no other program may be able to write to it.
type Shared struct {
	// Get returns the value that was put under a name, or false.
	Get func(ctx context.Context, name string) (value []byte, ok bool)
	// Put stores a value, for at most the duration keep.
	Put func(ctx context.Context, name string, value []byte, keep time.Duration)
}

// sharedCopy is the form in which a copy of an intent is shared. Its name has the remaining fields.
type sharedCopy struct {
	Attempt     uuid.UUID       `json:"attempt"`
	Fingerprint []byte          `json:"fingerprint"`
	Result      json.RawMessage `json:"result"`
	Record      uuid.UUID       `json:"record"`
	Outcome     Outcome         `json:"outcome"`
	Until       time.Time       `json:"until"`
}

// nameOf returns the name of a copy. It differs by epoch, and by the version of sharedCopy's format, which is 1.
func nameOf(k intentKey, epoch string) string {
	return fmt.Sprintf("1\n%s\n%s\n%s\n%s", epoch, k.tenant, k.operation, k.key)
}

// recall returns the copy of this process, or else the shared one. Nothing is shared until the database's epoch is known.
func (s *Store) recall(ctx context.Context, k intentKey, mayGo bool) (c stored, ok bool) {
	if c, ok = s.known.get(k); ok || s.Shared == nil || mayGo {
		return c, ok
	}
	epoch := s.known.epoch()
	if epoch == "" {
		return stored{}, false
	}
	value, ok := s.Shared.Get(ctx, nameOf(k, epoch))
	if !ok {
		return stored{}, false
	}
	var shared sharedCopy
	if err := json.Unmarshal(value, &shared); err != nil {
		return stored{}, false // from another release
	}
	c = stored{
		attempt: shared.Attempt, result: shared.Result, record: shared.Record, outcome: shared.Outcome,
		visible: true, moment: moment{epoch: epoch}, until: shared.Until,
	}
	copy(c.fingerprint[:], shared.Fingerprint)
	s.known.add(k, c, s.Memory)
	return c, true
}

// share stores a copy for the other processes.
func (s *Store) share(ctx context.Context, k intentKey, c stored) {
	keep := c.until.Sub(c.clock)
	if s.Shared == nil || keep <= 0 {
		return
	}
	fingerprint := c.fingerprint
	value, err := json.Marshal(sharedCopy{c.attempt, fingerprint[:], c.result, c.record, c.outcome, c.until})
	if err == nil { // always, because the result is JSON
		s.Shared.Put(ctx, nameOf(k, c.epoch), value, keep)
	}
}
