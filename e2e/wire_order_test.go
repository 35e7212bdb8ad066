package e2e

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
)

// TestFormsArriveInOrder checks that held forms reach the app in the order of arrival. The app has a race: it looks for an equal record
// first, and then creates one.
func TestFormsArriveInOrder(t *testing.T) {
	t.Parallel()
	var records sync.Map
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, found := records.Load(r.URL.Path); found {
			w.WriteHeader(http.StatusConflict)
		}
		records.Store(r.URL.Path, true)
	}))
	t.Cleanup(app.Close)
	w := newWire(t, "")
	w.mark, w.tellf = "E2E", func(by, string, ...any) {}
	proxy, err := url.Parse(w.addr)
	must.OK(t, err)
	browser := &http.Client{Transport: &http.Transport{Proxy: func(*http.Request) (*url.URL, error) { return proxy, nil }}}
	t.Cleanup(browser.CloseIdleConnections)
	s := &session{t: t}
	for round := range 10 {
		w.hold(beforeTheApp)
		answers := make([]string, 2)
		var all sync.WaitGroup
		for i := range answers {
			before := w.arrived()
			all.Go(func() {
				request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, fmt.Sprint(app.URL, "/", round),
					strings.NewReader("E2E"))
				if err != nil {
					t.Error(err)
					return
				}
				answer, err := browser.Do(request)
				if err != nil {
					t.Error(err)
					return
				}
				_, _ = io.Copy(io.Discard, answer.Body)
				_ = answer.Body.Close()
				answers[i] = answer.Status
			})
			s.until("the form has arrived", func() bool { return w.arrived() > before })
		}
		w.release()
		all.Wait()
		got := strings.Join(answers, ", ")
		assert.Thatf(t, got == "200 OK, 409 Conflict", "in round %d the answers are %s", round, got)
	}
}

// TestBalancerOverlaps checks that an impatient balancer has the app and its replica at work at the same time, and that an error counts.
func TestBalancerOverlaps(t *testing.T) {
	t.Parallel()
	var both sync.WaitGroup
	both.Add(2)
	answers := func(status int) *httptest.Server {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			both.Done()
			both.Wait()
			w.WriteHeader(status)
		}))
		t.Cleanup(server.Close)
		return server
	}
	app, replica := answers(http.StatusConflict), answers(http.StatusOK)
	w := newWire(t, "")
	w.mark, w.tellf = "E2E", func(by, string, ...any) {}
	w.toReplica(strings.TrimPrefix(replica.URL, "http://"), true)
	answer := httptest.NewRecorder()
	w.ServeHTTP(answer, httptest.NewRequest(http.MethodPost, app.URL, strings.NewReader("E2E")))
	assert.Thatf(t, answer.Code == http.StatusConflict, "the answer is %d", answer.Code)
}

// TestCutInsideAnswer checks that a cut inside the answer leaves its header whole, since over TLS browsers refuse half a header. Without
// a body, nothing arrives.
func TestCutInsideAnswer(t *testing.T) {
	t.Parallel()
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Date", "") // for comparison
		w.Header().Set("Location", "/1")
		w.WriteHeader(http.StatusSeeOther)
		_, _ = io.WriteString(w, r.URL.Query().Get("text"))
	}))
	t.Cleanup(app.Close)
	for text, want := range map[string]string{
		"": "", "Moved.": "HTTP/1.1 303 See Other\r\nContent-Length: 6\r\nContent-Type: text/plain; charset=utf-8\r\nDate: \r\n" +
			"Location: /1\r\n\r\nMov",
	} {
		w := newWire(t, "")
		w.mark, w.tellf = "E2E", func(by, string, ...any) {}
		w.cutNext(insideAnswer)
		browser, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(w.addr, "http://"))
		must.OK(t, err)
		t.Cleanup(func() { _ = browser.Close() })
		fmt.Fprintf(browser, "POST %s/?text=%s HTTP/1.1\r\nHost: app\r\nContent-Length: 3\r\n\r\nE2E", app.URL, text)
		got, _ := io.ReadAll(browser) // a reset is an error
		assert.Thatf(t, string(got) == want, "the browser gets %q, want %q", got, want)
	}
}
