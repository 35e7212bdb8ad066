package idempotency

import (
	"cmp"
	"context"
	"math"
	"sync"
	"time"
	"unique"

	"github.com/google/uuid"
	"github.com/hashicorp/golang-lru/v2/simplelru"
)

const (
	// memoryBytes bounds what a process remembers, unless [Store.Memory] does.
	memoryBytes = 8 << 20
	// believed is how long after the database has last answered a copy is as good as asking again.
	believed = 5 * time.Second
	// overhead is about what an intent takes besides its key and its result: its fields, and its places in the list and the map.
	overhead = 640
)

// memory has copies of settled intents, the last used ones. A settled intent never changes, so that a copy answers as the database
// would, as long as it is the same database, with the same history, and the result is kept there: see [memory.trust]. All of it may be
// lost at any time.
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

// moment is when the database last spoke, and which one it was.
type moment struct {
	asked time.Time // here, before it was asked
	clock time.Time // there, when it answered
	epoch string    // see its SQL
}

// inCopy are the columns of an intent by which copies of it are judged. A copy is used for an hour at most, so that what somebody
// erases or deletes by hand is gone everywhere by then.
//
// The epoch is another one when the server was started again, when a standby has taken its place, and when the table was restored or
// emptied: intents that were settled before may be gone.
const inCopy = `LEAST(expires_at, clock_timestamp() + interval '1 hour'), clock_timestamp(),
	extract(epoch FROM pg_postmaster_start_time()) || ' ' || pg_relation_filepath('intents')`

// copied are the destinations of inCopy.
func (s *stored) copied() []any { return []any{&s.until, &s.clock, &s.epoch} }

// trust is how far a copy can be relied on.
type trust int

const (
	hint    trust = iota // that it was settled, and so is looked up before it is claimed
	fitting              // nothing is known against it: an answer if the database cannot be reached
	sure                 // and the database has answered just now
)

// trust judges a copy. Time is counted on the database's clock, as it was when it last answered.
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

// hear notes which database has answered. An answer that was asked for before the last one may be that of its predecessor.
func (m *memory) hear(said moment) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if said.asked.After(m.heard.asked) {
		m.heard = said
	}
}

// epoch is that of the database that has last answered, or empty.
func (m *memory) epoch() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.heard.epoch
}

// add remembers an intent that the database has, and forgets others if they take more than bound bytes.
func (m *memory) add(k intentKey, c stored, bound int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.copies == nil {
		m.copies, _ = simplelru.NewLRU(math.MaxInt, func(k intentKey, c stored) { m.bytes -= size(k, c) }) // fails for a size below 1 only
	}
	m.put(k, c, bound)
}

func (m *memory) put(k intentKey, c stored, bound int) {
	// These are nearly always the same, and what is not there need not be looked at by the garbage collector.
	c.epoch, c.outcome = unique.Make(c.epoch).Value(), unique.Make(c.outcome).Value()
	m.copies.Remove(k) // which subtracts it, unlike to overwrite it
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

// size is about how many bytes of memory a copy takes.
func size(k intentKey, c stored) int {
	return overhead + len(k.key.value) + cap(c.result) + len(c.epoch) + c.answered.size()
}

// remember keeps a copy of an intent that the database has. Of one whose record may be deleted, or
// whose result is erased, it is only that it was settled.
func (s *Store) remember(ctx context.Context, k intentKey, found stored, mayGo bool) {
	s.known.hear(found.moment)
	if mayGo || !found.visible || found.result == nil {
		found.result, found.until = nil, time.Time{}
	}
	s.known.add(k, found, s.Memory)
	s.share(ctx, k, found)
}

// Forget drops what this process remembers of intents, so that the database is asked for each again: for code that erases or deletes by
// hand, past the operations.
func (s *Store) Forget() {
	s.known.mu.Lock()
	defer s.known.mu.Unlock()
	s.known.copies, s.known.bytes = nil, 0
}
