package e2e

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"

	"onlyonce/internal/assert"
)

// attemptLog counts, from the app's log, how each attempt to carry out an intent ended. It shows the requests that arrived at the
// server, independently of the browser.
type attemptLog struct {
	next     slog.Handler
	tellf    func(who by, format string, args ...any)
	mu       sync.Mutex
	outcomes []string
}

func (l *attemptLog) Enabled(ctx context.Context, level slog.Level) bool {
	return l.next.Enabled(ctx, level)
}

func (l *attemptLog) Handle(ctx context.Context, r slog.Record) error {
	found := map[string]string{}
	r.Attrs(func(a slog.Attr) bool {
		collect(found, a)
		return true
	})
	if found["operation"] != "" {
		l.add(found["outcome"])
		if l.tellf != nil {
			l.tellf(byServer, "%s: %s, under the key %.8s", found["operation"], found["outcome"], found["key"])
		}
	}
	return l.next.Handle(ctx, r)
}

func collect(into map[string]string, a slog.Attr) {
	value := a.Value.Resolve()
	if value.Kind() != slog.KindGroup {
		into[a.Key] = value.String()
		return
	}
	for _, inner := range value.Group() {
		collect(into, inner)
	}
}

// WithAttrs and WithGroup keep the log line readable. No attempt is lost, because each has its outcome as an attribute.
func (l *attemptLog) WithAttrs([]slog.Attr) slog.Handler { return l }
func (l *attemptLog) WithGroup(string) slog.Handler      { return l }

func (l *attemptLog) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.outcomes = nil
}

func (l *attemptLog) seen() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Sorted(slices.Values(l.outcomes))
}

// attempts checks the outcomes of the attempts, in any order.
func (s *session) attempts(want ...string) {
	s.t.Helper()
	slices.Sort(want)
	s.until("enough attempts have been logged", func() bool { return len(s.log.seen()) >= len(want) })
	got := s.log.seen()
	if s.db == nil {
		// A deployment does not report outcomes, so only the number of forms is compared.
		assert.Thatf(s.t, len(got) == len(want), "%d forms were sent, want %d", len(got), len(want))
		return
	}
	assert.Thatf(s.t, slices.Equal(got, want), "attempts ended as %v, want %v", got, want)
}

func (l *attemptLog) add(outcome string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.outcomes = append(l.outcomes, outcome)
}

// inProgress returns the number of attempts under way, from the app's metrics. In front of a deployment it is the number of
// held-back forms.
func (s *session) inProgress() (n int) {
	s.t.Helper()
	if s.db == nil {
		return s.wire.holding()
	}
	request, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, s.metrics, http.NoBody)
	s.check(err, "ask for the metrics")
	response, err := http.DefaultClient.Do(request)
	s.check(err, "ask for the metrics")
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	s.check(err, "read the metrics")
	_, rest, _ := strings.Cut(string(text), "\nonlyonce_attempts_in_progress ")
	_, err = fmt.Sscan(rest, &n)
	s.check(err, "find the attempts in progress")
	return n
}
