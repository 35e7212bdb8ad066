package web_test

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"golang.org/x/sync/semaphore"

	"onlyonce/internal/assert"
	"onlyonce/internal/customer"
	"onlyonce/internal/must"
	"onlyonce/internal/people/peoplepages"
	"onlyonce/internal/web"
)

// TestRequestsAreBoundedInNumber checks that a request beyond the bound is refused at once, with its input in the page, and that routes
// without the database still answer.
func TestRequestsAreBoundedInNumber(t *testing.T) {
	t.Parallel()
	s, err := web.New(web.Config{Log: slog.New(slog.NewTextHandler(t.Output(), nil)), Mount: func(s *web.Site) {
		m := web.Resource[customer.Customer]{One: "customer", Path: "/customers", Table: customer.Table}.Mount(s)
		web.Transition(m, "archive", "archived", "", customer.Archive, web.Nothing())
		peoplepages.Mount(s, peoplepages.Config{})
	}})
	must.OK(t, err)
	ask := func(method, path, contentType, body string) *httptest.ResponseRecorder {
		t.Helper()
		r := httptest.NewRequest(method, path, strings.NewReader(body))
		r.Header.Set("Content-Type", contentType)
		w := httptest.NewRecorder()
		s.Handler.ServeHTTP(w, r)
		return w
	}
	const form = "application/x-www-form-urlencoded"
	refused := func(what string, w *httptest.ResponseRecorder, says string) {
		t.Helper()
		if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") != "1" || !strings.Contains(w.Body.String(), says) {
			t.Errorf("%s: %d %v %s", what, w.Code, w.Header(), w.Body)
		}
	}
	must.Thatf(t, s.Places().Requests.TryAcquire(web.RequestsAtOnce), "there are fewer places")
	refused("page", ask(http.MethodGet, "/login", "", ""), "Too many requests are waiting")
	refused("form", ask(http.MethodPost, "/customers", form, "name=What+was+typed&idempotency_key=k"), `value="What was typed"`)
	refused("API", ask(http.MethodPost, "/api/v1/customers", "application/json", "{}"), `/problems/busy"`)
	for path, want := range map[string]int{"/healthz": http.StatusOK, "/static/none": http.StatusNotFound} {
		w := ask(http.MethodGet, path, "", "")
		assert.Thatf(t, w.Code == want, "%s: %d %s", path, w.Code, w.Body)
	}
	s.Places().Requests.Release(1)
	for range 2 { // the first one leaves its place to the second
		w := ask(http.MethodGet, "/docs/api", "", "")
		assert.Thatf(t, w.Code == http.StatusOK, "with a place: %d %s", w.Code, w.Body)
	}
}

// TestSlowStrangers checks that a client without a login uses no place of other requests while its body arrives, and that the places for
// such bodies are bounded.
func TestSlowStrangers(t *testing.T) {
	t.Parallel()
	s, err := web.New(web.Config{Log: slog.New(slog.NewTextHandler(t.Output(), nil)), Mount: func(s *web.Site) {
		m := web.Resource[customer.Customer]{One: "customer", Path: "/customers", Table: customer.Table}.Mount(s)
		web.Transition(m, "archive", "archived", "", customer.Archive, web.Nothing())
		peoplepages.Mount(s, peoplepages.Config{})
		web.Receive(m, "/hooks/{address}", customer.Restore, web.Explanation{}, func(r *http.Request) (web.Sender[struct{}], error) {
			if strings.HasSuffix(r.URL.Path, "/nowhere") {
				return web.Sender[struct{}]{}, web.ErrNotFound
			}
			return web.Sender[struct{}]{Verify: func(http.Header, []byte) (d web.Delivery[struct{}], err error) {
				return d, web.ErrSignature
			}}, nil
		}, nil)
	}})
	must.OK(t, err)
	for _, c := range []struct {
		path, origin    string
		status, crowded int // crowded is the status while all places of strangers are taken
	}{
		{"/hooks/nowhere", "", http.StatusNotFound, http.StatusNotFound},
		{"/hooks/somewhere", "", http.StatusBadRequest, http.StatusServiceUnavailable},
		{"/api/v1/customers/1/archive", "", http.StatusUnauthorized, http.StatusUnauthorized},
		{"/api/v1/nowhere", "", http.StatusUnauthorized, http.StatusUnauthorized},
		{"/login", "", http.StatusRequestEntityTooLarge, http.StatusServiceUnavailable},
		{"/join", "", http.StatusRequestEntityTooLarge, http.StatusServiceUnavailable},
		{"/forgot", "", http.StatusRequestEntityTooLarge, http.StatusServiceUnavailable},
		{"/customers/1/archive", "", http.StatusUnauthorized, http.StatusUnauthorized},
		{"/nowhere", "", http.StatusNotFound, http.StatusNotFound},
		{"/login", "https://elsewhere.example", http.StatusForbidden, http.StatusForbidden},
	} {
		for taken, want := range map[int64]int{0: c.status, web.StrangersAtOnce: c.crowded} {
			body := &slowBody{t, s, strings.NewReader("a=" + strings.Repeat("x", 100<<10)), 0}
			r := httptest.NewRequest(http.MethodPost, c.path, body)
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			r.Header.Set("Origin", c.origin)
			w := httptest.NewRecorder()
			must.OK(t, s.Places().Strangers.Acquire(t.Context(), taken))
			s.Handler.ServeHTTP(w, r)
			s.Places().Strangers.Release(taken)
			assert.Thatf(t, w.Code == want && body.reads != 0,
				"%s from %q with %d taken: %d after %d reads, want %d", c.path, c.origin, taken, w.Code, body.reads, want)
		}
	}
}

// slowBody fails the test if other clients would find fewer places while it is read.
type slowBody struct {
	*testing.T

	server *web.Server
	io.Reader
	reads int
}

func (b *slowBody) Read(p []byte) (int, error) {
	b.reads++
	s := b.server.Places()
	for all, places := range map[*semaphore.Weighted]int64{s.Requests: web.RequestsAtOnce, s.Large: web.LargeAtOnce} {
		if !all.TryAcquire(places) {
			b.Errorf("a stranger has one of %d places", places)
			continue
		}
		all.Release(places)
	}
	return b.Reader.Read(p)
}

// TestSessionSecretIsHidden checks that a log line with the caller of a request doesn't have the secret of the session.
func TestSessionSecretIsHidden(t *testing.T) {
	t.Parallel()
	var lines strings.Builder
	caller := web.Caller{Name: "Ada", Secret: "session"}
	for _, h := range []slog.Handler{slog.NewTextHandler(&lines, nil), slog.NewJSONHandler(&lines, nil)} {
		slog.New(h).Info("page", "by", caller, "of", caller.Secret, "text", fmt.Sprintf("%+v %q", caller, caller.Secret))
	}
	said := lines.String()
	assert.Thatf(t, strings.Count(said, "Ada") == 4 && !strings.Contains(strings.ReplaceAll(said, "[session]", ""), "session"), "%v", said)
}
