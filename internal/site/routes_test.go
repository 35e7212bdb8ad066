package site_test

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/internal/web"

	"github.com/go-chi/chi/v5"

	"onlyonce/internal/site/sitecases"
	"onlyonce/internal/site/sitetest"
)

// walk returns all routes of the server as "METHOD /path".
func walk(b *sitetest.Bundle) []string {
	b.Helper()
	var found []string
	err := chi.Walk(b.Mux, func(method, path string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		found = append(found, method+" "+path)
		return nil
	})
	must.Thatf(b, err == nil && len(found) != 0, "found %d routes: %v", len(found), err)
	return found
}

// callerOf returns the program for an address of the API, and the person for others.
func callerOf(path string, person, program *sitetest.Client) *sitetest.Client {
	if strings.HasPrefix(path, "/api/") {
		return program
	}
	return person
}

func TestEveryRouteSaysWhatARepeatDoes(t *testing.T) {
	b := setup(t)
	listed := map[string]web.Route{}
	for _, route := range b.Routes {
		listed[route.Method+" "+route.Path] = route
	}
	for _, route := range walk(b) {
		if _, ok := listed[route]; !ok {
			t.Errorf("%s was registered past the router, so nothing says what a repeat of it does: use read, natural or operation", route)
		}
		delete(listed, route)
	}
	for route := range listed {
		t.Errorf("%s is in Routes and does not exist", route)
	}
	for _, route := range b.Routes {
		switch {
		case route.Repeat == web.Read && route.Method == http.MethodGet:
		case route.Repeat == web.Once && route.Method != http.MethodGet && len(route.Why) > 5:
		case route.Repeat == web.Natural && route.Method == http.MethodPost && len(route.Why) > 5:
		default:
			t.Errorf("%+v", route)
		}
	}
	assert.Thatf(t, len(b.Once()) >= 4, "only %d routes carry out an operation", len(b.Once()))
}

// TestEveryOperationIsTried: the subjects of the table of cases name each operation once, with its routes.
func TestEveryOperationIsTried(t *testing.T) {
	b := setup(t)
	tried := map[string]bool{}
	for _, of := range b.CasesOf(sitecases.Resources()...) {
		if tried["POST "+of.Form] = true; !of.Resource.People {
			tried[of.Method+" "+of.API] = true
		}
	}
	for _, route := range b.Once() {
		assert.Thatf(t, tried[route.Method+" "+route.Path],
			"%s %s (%s) is not tried: declare its resource, and add its room to sitecases; "+
				"one operation has one form and one place in the API", route.Method, route.Path, route.Why)
	}
}

// TestEveryRowIsDocumented: docs/idempotency.md has each row of the table of cases.
func TestEveryRowIsDocumented(t *testing.T) {
	t.Parallel()
	rules, err := os.ReadFile("../../docs/idempotency.md")
	must.OK(t, err)
	for _, row := range sitetest.RowNames() {
		assert.Thatf(t, strings.Contains(string(rules), "\n| "+row+" "), "docs/idempotency.md has no row %q", row)
	}
}

// TestEveryRouteNeedsALogin, except those that are declared as public.
func TestEveryRouteNeedsALogin(t *testing.T) {
	b := setup(t)
	stranger := b.Browser(b.Replica)
	for _, route := range b.Routes {
		if route.Public() {
			continue
		}
		a := stranger.Must(stranger.Send(t.Context(), route.Method, strings.ReplaceAll(route.Path, "{id}", sitetest.Key), ""))
		toLogin := a.Status == http.StatusSeeOther && strings.HasPrefix(a.Location(), "/login?next=%2F")
		assert.Thatf(t, a.Status == http.StatusUnauthorized || toLogin, "%s %s: %v", route.Method, route.Path, a)
	}
}
