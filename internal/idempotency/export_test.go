package idempotency

import "time"

// Age lets time go by since the database last answered.
func (s *Store) Age(by time.Duration) {
	s.known.mu.Lock()
	defer s.known.mu.Unlock()
	s.known.heard.asked = s.known.heard.asked.Add(-by)
}

// Remembered returns how many intents the process remembers, and how many bytes it counts for them.
func (s *Store) Remembered() (intents, bytes int) {
	s.known.mu.Lock()
	defer s.known.mu.Unlock()
	if s.known.copies == nil {
		return 0, s.known.bytes
	}
	return s.known.copies.Len(), s.known.bytes
}
