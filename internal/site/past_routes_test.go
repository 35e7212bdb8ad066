package site_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

// TestNothingStandsAroundTheMux: whatever answers requests is a route, or middleware of one, as the walk sees it.
func TestNothingStandsAroundTheMux(t *testing.T) {
	b := setup(t)
	if any(b.Handler) != any(b.Mux) {
		b.Errorf("Handler is a %T and not the mux itself: make what stands around it middleware, or a route", b.Handler)
	}
}

// TestAddressesWithoutARouteDoNothing: what is answered 404 or 405 has changed no table, whoever asks by whatever
// method. Nothing asks these handlers what a repeat does.
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
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "QUERY"} {
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
			if a.status != http.StatusNotFound && a.status != http.StatusMethodNotAllowed {
				b.Errorf("%s %s: %v", method, path, a)
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
