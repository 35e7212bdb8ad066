// Package must ends a test at the caller's line if its preparation fails or a wait times out. Package assert lets the test go on.
package must

import (
	"context"
	"os"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// T is implemented by tests, benchmarks and checks of rapid.
type T interface {
	Helper()
	Context() context.Context
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// OK ends the test unless err is nil.
func OK(t T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Thatf ends the test unless the condition holds. The arguments are evaluated in any case.
func Thatf(t T, holds bool, format string, args ...any) {
	t.Helper()
	if !holds {
		t.Fatalf(format, args...)
	}
}

// Exec runs a statement on a pool, a connection or a transaction.
func Exec(t T, on interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}, sql string, args ...any,
) {
	t.Helper()
	_, err := on.Exec(t.Context(), sql, args...)
	OK(t, err)
}

// Read returns the content of a file.
func Read(t T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	OK(t, err)
	return string(content)
}

// Until waits until a condition holds, and ends the test after a minute.
func Until(t T, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for over := time.After(time.Minute); !holds(); {
		select {
		case <-tick.C:
		case <-over:
			t.Fatal("waited a minute in vain: " + what)
		}
	}
}
