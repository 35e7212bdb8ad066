// Package assert reports errors of a test at the caller's line and lets it go on. Package must ends the test.
package assert

import (
	"fmt"
	"strings"
)

// T is implemented by tests, benchmarks and checks of rapid.
type T interface {
	Helper()
	Errorf(format string, args ...any)
}

// Equal reports an error unless got equals want. The message begins with the description in what.
func Equal[V comparable](t T, got, want V, what ...any) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", strings.TrimSpace(fmt.Sprintln(what...)), got, want)
	}
}

// Thatf reports an error unless the condition holds. The arguments are evaluated in any case.
func Thatf(t T, holds bool, format string, args ...any) {
	t.Helper()
	if !holds {
		t.Errorf(format, args...)
	}
}
