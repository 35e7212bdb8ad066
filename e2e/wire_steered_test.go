package e2e

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
)

// TestWireIsSteered runs a wire for the form with the mark in E2E_WIRE, until its standard input ends. A program in another language, such
// as typescript/created-once.ts, steers it over HTTP.
func TestWireIsSteered(t *testing.T) {
	t.Parallel()
	mark := os.Getenv("E2E_WIRE")
	if mark == "" {
		return // TestOwnScenario covers it
	}
	w := newWire(t, "")
	w.mark, w.tellf = mark, func(by, string, ...any) {}
	stages := map[string]stage{"before the app": beforeTheApp, "after the app": afterTheApp, "before the next page": afterRedirect}
	cuts := map[string]cut{}
	for _, at := range []cut{beforeRequest, insideRequest, beforeAnswer, insideAnswer} {
		cuts[at.String()] = at
	}
	steers := http.NewServeMux()
	for name, steer := range map[string]func(at string) (known bool){
		"hold":    func(at string) bool { w.hold(stages[at]); return stages[at] != nowhere },
		"release": func(string) bool { w.release(); return true },
		"cut":     func(at string) bool { w.cutNext(cuts[at]); return cuts[at] != uncut },
		"heal":    func(string) bool { w.heal(); return true },
	} {
		steers.HandleFunc("POST /"+name, func(answer http.ResponseWriter, r *http.Request) {
			if at := r.URL.Query().Get("at"); !steer(at) {
				http.Error(answer, fmt.Sprintf("%s has no %q", name, at), http.StatusBadRequest)
			}
		})
	}
	steers.HandleFunc("GET /posts", func(answer http.ResponseWriter, _ *http.Request) { fmt.Fprint(answer, w.arrived()) })
	steers.HandleFunc("GET /quiet", func(answer http.ResponseWriter, _ *http.Request) { fmt.Fprint(answer, w.isQuiet(quiet)) })
	server := httptest.NewServer(steers)
	t.Cleanup(server.Close)
	fmt.Fprintf(os.Stdout, "{\"proxy\": %q, \"steers\": %q}\n", w.addr, server.URL)
	_, _ = io.Copy(io.Discard, os.Stdin)
}
