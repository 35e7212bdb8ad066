package idempotency

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
)

// Shared is a memory that the processes on one database have in common: see package shared. It may lose anything at any time. What it
// returns is trusted as what this process remembers itself, so nobody else may be able to put anything there.
type Shared struct {
	// Get returns what was put under a name, or false.
	Get func(ctx context.Context, name string) (value []byte, ok bool)
	// Put keeps a value, for as long as it says at most.
	Put func(ctx context.Context, name string, value []byte, keep time.Duration)
}

// sharedCopy is a copy of an intent as it is shared. Everything else that is known of it is in its name.
type sharedCopy struct {
	Attempt     uuid.UUID       `json:"attempt"`
	Fingerprint []byte          `json:"fingerprint"`
	Result      json.RawMessage `json:"result"`
	Record      uuid.UUID       `json:"record"`
	Outcome     Outcome         `json:"outcome"`
	Until       time.Time       `json:"until"`
}

// nameOf is what a copy is called: another one in another epoch, and in another form than sharedCopy of now, which is the first.
func nameOf(k intentKey, epoch string) string {
	return fmt.Sprintf("1\n%s\n%s\n%s\n%s", epoch, k.tenant, k.operation, k.key)
}

// recall returns what this process remembers of an intent, or else what another one does. Before the database has said which one
// it is, nothing can be shared.
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

// share puts a copy where the other processes find it.
func (s *Store) share(ctx context.Context, k intentKey, c stored) {
	keep := c.until.Sub(c.clock)
	if s.Shared == nil || keep <= 0 {
		return
	}
	fingerprint := c.fingerprint
	value, err := json.Marshal(sharedCopy{c.attempt, fingerprint[:], c.result, c.record, c.outcome, c.until})
	if err == nil { // it always is: the result is JSON
		s.Shared.Put(ctx, nameOf(k, c.epoch), value, keep)
	}
}
