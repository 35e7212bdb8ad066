package web

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"golang.org/x/sync/semaphore"

	"onlyonce/internal/must"
)

// TestLargeBodiesTakeTurns: with all places taken a usual body is read at once, and a large one waits for
// a place as long as its request may. One with files has other places.
func TestLargeBodiesTakeTurns(t *testing.T) {
	t.Parallel()
	large, s := semaphore.NewWeighted(largeAtOnce), &Server{uploads: semaphore.NewWeighted(uploadsAtOnce)}
	read := func(ctx context.Context, size int) (int, error) {
		var got []byte
		var err error
		handler := s.admitLarge(large)(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			got, err = io.ReadAll(r.Body)
			if _, again := r.Body.Read(make([]byte, 1)); err != nil && !errors.Is(again, err) {
				t.Errorf("reading on: %v, after %v", again, err)
			}
		}))
		handler.ServeHTTP(nil, httptest.NewRequestWithContext(ctx, http.MethodPost, "/", strings.NewReader(strings.Repeat("x", size))))
		return len(got), err
	}
	large.TryAcquire(largeAtOnce)
	if n, err := read(t.Context(), usualBody); n != usualBody || err != nil {
		t.Errorf("usual: read %d, %v", n, err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := read(over, maxBody); !errors.Is(err, errCrowded) {
		t.Errorf("large, with no place: %v", err)
	}
	if n, err := read(context.WithValue(t.Context(), uploadKey{}, &upload{}), maxBody); n != maxBody || err != nil {
		t.Errorf("with files: read %d, %v", n, err)
	}
	s.uploads.TryAcquire(uploadsAtOnce)
	if _, err := read(context.WithValue(over, uploadKey{}, &upload{}), maxBody); !errors.Is(err, errCrowded) {
		t.Errorf("with files, with no place: %v", err)
	}
	large.Release(1)
	for range 2 { // the first one leaves its place to the second
		if n, err := read(t.Context(), maxBody); n != maxBody || err != nil {
			t.Errorf("large, with a place: read %d, %v", n, err)
		}
	}
}

// TestTimeIsUp checks the answer to a request whose time is up.
func TestTimeIsUp(t *testing.T) {
	t.Parallel()
	s, err := New(Config{Log: slog.New(slog.NewTextHandler(t.Output(), nil)), Mount: func(*Site) {}})
	must.OK(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/customers", strings.NewReader("notes=typed"))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	w := httptest.NewRecorder()
	s.FailHTML(w, r, ctx.Err())
	if w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), "typed") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
