package importing

import "crypto/sha256"

// Seen has the lines of earlier rows by digests of their values, so that its size doesn't depend on the length of the values.
type Seen map[[16]byte]int

// First returns the line of the first row with a value, or 0 if it is this row, at a line.
func (s Seen) First(kind, value string, line int) int {
	key := digest(kind, value)
	if first, found := s[key]; found {
		return first
	}
	s[key] = line
	return 0
}

// Count returns the number of calls with a value, with this one.
func (s Seen) Count(value string) int {
	key := digest("count", value)
	s[key]++
	return s[key]
}

func digest(kind, value string) [16]byte {
	sum := sha256.Sum256([]byte(kind + "\n" + value))
	return [16]byte(sum[:16])
}
