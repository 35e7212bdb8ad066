package pgtest_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"onlyonce/internal/postgres/pgtest"
)

// failing is a test that must end early.
type failing struct {
	testing.TB

	said string
}

func (f *failing) Fatalf(format string, args ...any) {
	f.said = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// TestFailedTemplate: a test that is ended while it fills a template says why, and the others that need it are ended too.
func TestFailedTemplate(t *testing.T) {
	t.Parallel()
	var first *failing
	template := pgtest.Template{Fill: func(context.Context, *pgtest.Database) error {
		first.Fatalf("no such table")
		return nil
	}}
	for _, want := range []string{"no such table", "has failed meanwhile"} {
		f := &failing{TB: t}
		if first == nil {
			first = f
		}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			template.New(f)
		}()
		<-ended
		if !strings.Contains(f.said, want) {
			t.Errorf("it says %q, want %q", f.said, want)
		}
	}
}
