package e2e

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

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
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = browser.Close() })
		fmt.Fprintf(browser, "POST %s/?text=%s HTTP/1.1\r\nHost: app\r\nContent-Length: 3\r\n\r\nE2E", app.URL, text)
		got, _ := io.ReadAll(browser) // a reset is an error
		if string(got) != want {
			t.Errorf("the browser gets %q, want %q", got, want)
		}
	}
}
