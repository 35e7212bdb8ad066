package idempotency

import (
	"runtime"
	"testing"
	"time"

	"github.com/google/uuid"
)

// TestMemoryIsBoundedInBytes checks that a process uses about as much memory as Store.Memory, for results of any size.
func TestMemoryIsBoundedInBytes(t *testing.T) { //nolint:paralleltest // it measures the heap
	const bound = 16 << 20
	for name, result := range map[string]int{"no result": 0, "an invoice": 2 << 10, "500 lines": 200 << 10} {
		t.Run(name, func(t *testing.T) {
			var m memory
			took := 0
			for range 3 { // leftovers of earlier tests may grow or be freed meanwhile, but hardly three times
				m = memory{}
				before := heap()
				for i := range 4 * bound / (overhead + result) {
					k := intentKey{uuid.New(), "item.create", NewKey()}
					m.add(k, stored{result: make([]byte, result), moment: moment{epoch: uuid.NewString()}}, bound)
					if m.bytes > bound {
						t.Fatalf("%d bytes after %d", m.bytes, i)
					}
				}
				if took = heap() - before; took >= bound/2 && took <= bound*5/4 {
					break
				}
			}
			if took > bound*5/4 || took < bound/2 {
				t.Errorf("%d copies take %d bytes of %d", m.copies.Len(), took, bound)
			}
			for m.copies.Len() > 0 {
				m.copies.RemoveOldest()
			}
			if m.bytes != 0 {
				t.Errorf("%d bytes are counted of nothing", m.bytes)
			}
		})
	}
}

func heap() int {
	runtime.GC()
	runtime.GC() // the garbage allocated during the first run
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// Age shifts the time of the database's last answer into the past.
func (s *Store) Age(by time.Duration) {
	s.known.mu.Lock()
	defer s.known.mu.Unlock()
	s.known.heard.asked = s.known.heard.asked.Add(-by)
}

// Remembered returns the number of copies in the process, and their size in bytes.
func (s *Store) Remembered() (intents, bytes int) {
	s.known.mu.Lock()
	defer s.known.mu.Unlock()
	if s.known.copies == nil {
		return 0, s.known.bytes
	}
	return s.known.copies.Len(), s.known.bytes
}
