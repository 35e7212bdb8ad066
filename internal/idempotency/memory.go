package idempotency

import (
	"cmp"
	"context"
	"crypto/sha256"
	"log/slog"
	"math"
	"sync"
	"time"
	"unique"

	"github.com/google/uuid"
	"github.com/hashicorp/golang-lru/v2/simplelru"
)

const (
	// memoryBytes is the default of [Store.Memory].
	memoryBytes = 8 << 20
	// believed is the time after the database's last answer in which a copy is used without asking again.
	believed = 5 * time.Second
	// overhead is the approximate size of an intent in memory, without its key and its result: its fields, and its entries in the list
	// and the map.
	overhead = 640
)

// memory holds copies of settled intents, the most recently used ones. A settled intent never changes, so a copy is as good as the
// database's answer while the database has the same history and keeps the result: see [memory.trust]. Copies may be lost at any time.
type memory struct {
	mu     sync.Mutex
	copies *simplelru.LRU[intentKey, stored]
	bytes  int
	heard  moment
}

// intentKey is the primary key of an intent.
type intentKey struct {
	tenant    uuid.UUID
	operation string
	key       Key
}

// moment identifies the database that answered last, and the time of its answer.
type moment struct {
	asked time.Time // the time here, before the query
	clock time.Time // the time there, at the answer
	epoch string    // see inCopy
}

// inCopy selects the columns by which copies of an intent are judged. A copy is used for at most an hour, so that erasing or deleting
// rows by hand takes effect everywhere by then.
//
// The epoch changes when the server restarts, when a standby takes its place, and when the table is restored or truncated, because
// intents that were settled before may then be gone.
const inCopy = `LEAST(expires_at, clock_timestamp() + interval '1 hour'), clock_timestamp(),
	extract(epoch FROM pg_postmaster_start_time()) || ' ' || pg_relation_filepath('intents')`

// copied returns the destinations of inCopy.
func (s *stored) copied() []any { return []any{&s.until, &s.clock, &s.epoch} }

// trust is a degree of confidence in a copy.
type trust int

const (
	hint    trust = iota // the intent was probably settled: look it up before a claim
	fitting              // an answer only if the database can't be reached
	sure                 // an answer, because the database has just answered another query
)

// trust classifies a copy. Time is measured on the database's clock, extrapolated from its last answer.
func (m *memory) trust(c stored) trust {
	m.mu.Lock()
	defer m.mu.Unlock()
	silence := time.Since(m.heard.asked)
	switch {
	case c.epoch != m.heard.epoch || !m.heard.clock.Add(silence).Before(c.until):
		return hint
	case silence > believed:
		return fitting
	default:
		return sure
	}
}

func (m *memory) get(k intentKey) (c stored, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.copies == nil {
		return stored{}, false
	}
	return m.copies.Get(k)
}

// hear stores the moment of the database's last answer. It ignores an answer to an earlier query, which may come from the predecessor of
// the database.
func (m *memory) hear(said moment) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if said.asked.After(m.heard.asked) {
		m.heard = said
	}
}

// epoch returns the epoch of the database's last answer, or "" before the first one.
func (m *memory) epoch() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.heard.epoch
}

// add stores a copy of an intent, and drops the least recently used ones if all take more than bound bytes.
func (m *memory) add(k intentKey, c stored, bound int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.copies == nil {
		m.copies, _ = simplelru.NewLRU(math.MaxInt, func(k intentKey, c stored) { m.bytes -= size(k, c) }) // fails for a size below 1 only
	}
	m.put(k, c, bound)
}

func (m *memory) put(k intentKey, c stored, bound int) {
	// Most copies share these strings, and unique values need no scan by the garbage collector.
	c.epoch, c.outcome = unique.Make(c.epoch).Value(), unique.Make(c.outcome).Value()
	m.copies.Remove(k) // calls the function that subtracts its size, unlike overwriting it
	m.copies.Add(k, c)
	m.bytes += size(k, c)
	for m.bytes > cmp.Or(bound, memoryBytes) {
		m.copies.RemoveOldest()
	}
}

func (m *memory) forget(k intentKey) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.copies != nil {
		m.copies.Remove(k)
	}
}

// size returns the approximate size of a copy in memory, in bytes.
func size(k intentKey, c stored) int {
	return overhead + len(k.key.value) + cap(c.result) + len(c.epoch) + c.answered.size()
}

// remember stores a copy of an intent that the database has. If the record may be deleted or the result has expired, the copy holds only
// that the intent was settled.
func (s *Store) remember(ctx context.Context, k intentKey, found stored, mayGo bool) {
	s.known.hear(found.moment)
	if mayGo || !found.visible || found.result == nil {
		found.result, found.until = nil, time.Time{}
	}
	s.known.add(k, found, s.Memory)
	s.share(ctx, k, found)
}

// Forget drops all copies in this process, so that the database is asked again, for code that erases or deletes rows without an
// operation.
func (s *Store) Forget() {
	s.known.mu.Lock()
	defer s.known.mu.Unlock()
	s.known.copies, s.known.bytes = nil, 0
}

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
