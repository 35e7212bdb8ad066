package sitetest

import (
	"sync"
	"testing"
)

// failures counts the failures of a test, or of a walk, by their format. The first three with the same format are reported.
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

// another counts a failure, and reports whether it is to be reported.
func (f *failures) another(format string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.alike[format]++
	return f.alike[format] <= reported
}

// Errorf is the test's Errorf for the first three failures with the same format.
func (b *Bundle) Errorf(format string, args ...any) {
	b.Helper()
	if b.failures.another(format) {
		b.T.Errorf(format, args...)
	}
	b.Fail()
}

// Fatalf is Errorf, and ends the test.
func (b *Bundle) Fatalf(format string, args ...any) {
	b.Helper()
	b.Errorf(format, args...)
	b.FailNow()
}
