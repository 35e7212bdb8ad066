package site_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"

	"onlyonce/internal/assert"
	"onlyonce/internal/customer/customercases"
	"onlyonce/internal/site/sitetest"
)

// TestNothingStandsAroundTheMux: every handler is a route, or middleware of a route, so the walk sees it.
func TestNothingStandsAroundTheMux(t *testing.T) {
	b := setup(t)
	assert.Thatf(b, any(b.Handler) == any(b.Mux),
		"Handler is a %T and not the mux itself: make the handler around it middleware, or a route", b.Handler)
}

// TestAddressesWithoutARouteDoNothing: requests answered with 404 or 405 change no table, for any client and any method. These
// handlers have no rule for repeats. A 405 lists the allowed methods (RFC 9110, section 15.5.6).
func TestAddressesWithoutARouteDoNothing(t *testing.T) {
	b := setup(t)
	person, program := b.Person(b.Replica, b.Acme), b.Program(b.Replica, b.Acme)
	paths := []string{"/nowhere", "/customers/nowhere/else", "/static", "/healthz/x", "/api/v1", "/api/v1/nowhere"}
	routed := walk(b)
	for _, route := range b.Routes {
		paths = append(paths, strings.NewReplacer("{id}", sitetest.Key, "{slug}", "invalid").Replace(route.Path))
		routed = append(routed, "HEAD "+route.Path)
	}
	slices.Sort(paths)
	before, tried := b.Contents(), 0
	for _, path := range slices.Compact(paths) {
		var allowed []string
		for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE"} {
			if b.Mux.Match(chi.NewRouteContext(), method, path) {
				allowed = append(allowed, strings.Replace(method, "GET", "GET, HEAD", 1))
			}
		}
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "LINK", "QUERY"} {
			pattern := strings.NewReplacer(sitetest.Key, "{id}", "/invalid", "/{slug}").Replace(method + " " + path)
			if slices.Contains(routed, pattern) {
				continue
			}
			tried++
			caller := callerOf(path, person, program)
			a := b.Must(caller.Send(t.Context(), method, path, customercases.Customers().Command.Encode()))
			want := map[int]string{http.StatusNotFound: "", http.StatusMethodNotAllowed: strings.Join(allowed, ", ")}
			if allow, known := want[a.Status]; !known || a.Header.Get("Allow") != allow {
				b.Errorf("%s %s: Allow %q, want %q: %v", method, path, a.Header.Get("Allow"), allow, a)
			}
			assert.Thatf(b, caller != program || method != http.MethodDelete || sitetest.Decode[sitetest.Problem](b, a).Status == a.Status,
				"%s %s: not a problem document: %v", method, path, a)
		}
		after := b.Contents()
		sitetest.WantUnchanged(b, "a method that "+path+" has no route for", before, after)
		before = after
	}
	assert.Thatf(b, tried >= 9*len(b.Routes)/2, "only %d requests were made", tried)
}
