package web

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"onlyonce/internal/customer"
	"onlyonce/internal/proof/must"
)

// TestRequestsAreBoundedInNumber: when there are too many, the next one is refused at once, and keeps what was typed. What needs no
// database is answered.
func TestRequestsAreBoundedInNumber(t *testing.T) {
	t.Parallel()
	s, err := New(Config{Log: slog.New(slog.NewTextHandler(t.Output(), nil)), Mount: func(s *Site) {
		m := Resource[customer.Customer]{One: "customer", Many: "customers", Table: customer.Table}.Mount(s)
		Transition(m, "archive", "archived", "", customer.Archive, Nothing())
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
	if !s.requests.TryAcquire(requestsAtOnce) {
		t.Fatal("there are fewer places")
	}
	refused("page", ask(http.MethodGet, "/login", "", ""), "Too many requests are waiting")
	refused("form", ask(http.MethodPost, "/customers", form, "name=What+was+typed&idempotency_key=k"), `value="What was typed"`)
	refused("API", ask(http.MethodPost, "/api/v1/customers", "application/json", "{}"), `/problems/busy"`)
	for path, want := range map[string]int{"/healthz": http.StatusOK, "/static/none": http.StatusNotFound} {
		if w := ask(http.MethodGet, path, "", ""); w.Code != want {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
	s.requests.Release(1)
	for range 2 { // the first one leaves its place to the second
		if w := ask(http.MethodGet, "/docs/api", "", ""); w.Code != http.StatusOK {
			t.Errorf("with a place: %d %s", w.Code, w.Body)
		}
	}
}
