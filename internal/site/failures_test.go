package site_test

import (
	"sync"
	"testing"
)

// failures counts those of a test, or of a walk, by their format. Of those that are alike the first three are reported.
type failures struct {
	mu    sync.Mutex
	alike map[string]int
}

const reported = 3

func newFailures(t *testing.T) *failures {
	t.Helper()
	f := &failures{alike: map[string]int{}}
	t.Cleanup(func() {
		for format, n := range f.alike {
			if n > reported {
				t.Errorf("and %d more like this: %s", n-reported, format)
			}
		}
	})
	return f
}

// another reports whether a failure is one of the first that are alike.
func (f *failures) another(format string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.alike[format]++
	return f.alike[format] <= reported
}

// Errorf is that of the test, for the first three failures that are alike.
func (b *bundle) Errorf(format string, args ...any) {
	b.Helper()
	if b.failures.another(format) {
		b.T.Errorf(format, args...)
	}
	b.Fail()
}

// Fatalf is Errorf, and ends the test.
func (b *bundle) Fatalf(format string, args ...any) {
	b.Helper()
	b.Errorf(format, args...)
	b.FailNow()
}
