package postgres_test

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"strings"
	"sync"
	"syscall"
	"testing"

	"onlyonce/internal/must"
	"onlyonce/internal/postgres"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/postgres/server"
)

// TestEmbeddedGoneForGood shuts the server down in order until it is not restarted. Its process returns no error then.
func TestEmbeddedGoneForGood(t *testing.T) {
	t.Parallel()
	dir := pgtest.Embedded(t)
	var log buffer
	embedded, err := postgres.StartEmbedded(t.Context(), dir, slog.New(slog.NewTextHandler(io.MultiWriter(&log, t.Output()), nil)))
	must.OK(t, err)
	const restarts = 5
	for i := range restarts + 1 {
		must.Until(t, "the server is back", func() bool { return strings.Count(log.String(), "PostgreSQL runs again") == i })
		must.OK(t, syscall.Kill(postmaster(t, dir), syscall.SIGINT))
	}
	<-embedded.Done()
	if err := embedded.Stop(t.Context()); !errors.Is(err, server.ErrStopped) || !strings.Contains(err.Error(), "6 times") {
		t.Errorf("got %v", err)
	}
	text := log.String()
	if !strings.Contains(text, "gone for good") || strings.Contains(text, "%!") || strings.Contains(text, "error=<nil>") {
		t.Error(text)
	}
}

// buffer is a bytes.Buffer that may be read and written concurrently.
type buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
