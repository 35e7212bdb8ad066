package idempotency

import (
	"sync"

	"github.com/google/uuid"
	lru "github.com/hashicorp/golang-lru/v2"
)

// remembered is how many settled keys a process remembers.
const remembered = 1 << 14

// memory remembers which keys were settled lately, and nothing of what came of them. It decides only
// in which order to ask: a known key is looked up first, which is cheaper than a claim that fails. It
// may be wrong or empty at any time.
type memory struct {
	once sync.Once
	keys *lru.Cache[slot, struct{}]
}

// slot is the primary key of a record.
type slot struct {
	tenant    uuid.UUID
	operation string
	key       Key
}

func (m *memory) cache() *lru.Cache[slot, struct{}] {
	m.once.Do(func() { m.keys, _ = lru.New[slot, struct{}](remembered) }) // fails for a size below 1 only
	return m.keys
}

func (m *memory) knows(s slot) bool { return m.cache().Contains(s) }
func (m *memory) add(s slot)        { m.cache().Add(s, struct{}{}) }
func (m *memory) forget(s slot)     { m.cache().Remove(s) }
