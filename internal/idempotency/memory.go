package idempotency

import (
	"sync"

	"github.com/google/uuid"
	lru "github.com/hashicorp/golang-lru/v2"
)

// remembered is how many carried out intents a process remembers.
const remembered = 1 << 14

// memory remembers which intents were carried out lately, and nothing of what came of them. It decides
// only in which order to ask: one that is known is looked up first, which is cheaper than a claim that
// fails. It may be wrong or empty at any time.
type memory struct {
	once sync.Once
	keys *lru.Cache[intentKey, struct{}]
}

// intentKey is the primary key of an intent.
type intentKey struct {
	tenant    uuid.UUID
	operation string
	key       Key
}

func (m *memory) cache() *lru.Cache[intentKey, struct{}] {
	m.once.Do(func() { m.keys, _ = lru.New[intentKey, struct{}](remembered) }) // fails for a size below 1 only
	return m.keys
}

func (m *memory) knows(k intentKey) bool { return m.cache().Contains(k) }
func (m *memory) add(k intentKey)        { m.cache().Add(k, struct{}{}) }
func (m *memory) forget(k intentKey)     { m.cache().Remove(k) }
