package idempotency

import "time"

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
