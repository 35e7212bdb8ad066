package dev

import "sync"

// tail keeps the end of what a program says.
type tail struct {
	mu   sync.Mutex
	kept []byte
}

const tailSize = 8 << 10 // bytes

// Write keeps the last bytes. It never fails.
func (t *tail) Write(said []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, said...)
	t.kept = t.kept[max(0, len(t.kept)-tailSize):]
	return len(said), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.kept)
}
