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

	message string
}

func (f *failing) Fatalf(format string, args ...any) {
	f.message = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// TestFailedTemplate checks that a test that ends while it fills a template fails with its reason, and that later tests with the
// template fail too.
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
		if !strings.Contains(f.message, want) {
			t.Errorf("got %q, want %q", f.message, want)
		}
	}
}
