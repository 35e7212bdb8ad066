package site_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"
)

// TestNothingStandsAroundTheMux: every handler is a route, or middleware of a route, so the walk sees it.
func TestNothingStandsAroundTheMux(t *testing.T) {
	b := setup(t)
	if any(b.Handler) != any(b.Mux) {
		b.Errorf("Handler is a %T and not the mux itself: make the handler around it middleware, or a route", b.Handler)
	}
}

// TestAddressesWithoutARouteDoNothing: requests answered with 404 or 405 change no table, for any client and any method. These
// handlers have no rule for repeats. A 405 lists the allowed methods (RFC 9110, section 15.5.6).
func TestAddressesWithoutARouteDoNothing(t *testing.T) {
	b := setup(t)
	person, program := b.person(b.replica, b.acme), b.program(b.replica, b.acme)
	paths := []string{"/nowhere", "/customers/nowhere/else", "/static", "/healthz/x", "/api/v1", "/api/v1/nowhere"}
	routed := b.walk()
	for _, route := range b.Routes {
		paths = append(paths, strings.NewReplacer("{id}", key, "{slug}", "invalid").Replace(route.Path))
		routed = append(routed, "HEAD "+route.Path)
	}
	slices.Sort(paths)
	before, tried := b.contents(), 0
	for _, path := range slices.Compact(paths) {
		var allowed []string
		for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE"} {
			if b.Mux.Match(chi.NewRouteContext(), method, path) {
				allowed = append(allowed, strings.Replace(method, "GET", "GET, HEAD", 1))
			}
		}
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "LINK", "QUERY"} {
			pattern := strings.NewReplacer(key, "{id}", "/invalid", "/{slug}").Replace(method + " " + path)
			if slices.Contains(routed, pattern) {
				continue
			}
			tried++
			caller := person
			if strings.HasPrefix(path, "/api/") {
				caller = program
			}
			a := b.must(caller.send(t.Context(), method, path, customers().command.Encode()))
			want := map[int]string{http.StatusNotFound: "", http.StatusMethodNotAllowed: strings.Join(allowed, ", ")}
			if allow, known := want[a.status]; !known || a.header.Get("Allow") != allow {
				b.Errorf("%s %s: Allow %q, want %q: %v", method, path, a.header.Get("Allow"), allow, a)
			}
			if caller == program && method == http.MethodDelete && decode[problem](b, a).Status != a.status {
				b.Errorf("%s %s: not a problem document: %v", method, path, a)
			}
		}
		after := b.contents()
		wantUnchanged(b, "a method that "+path+" has no route for", before, after)
		before = after
	}
	if tried < 9*len(b.Routes)/2 {
		b.Errorf("only %d requests were made", tried)
	}
}
