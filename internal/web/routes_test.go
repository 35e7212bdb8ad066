package web_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"

	"onlyonce/internal/web"
)

// walk gives all routes of the server as "METHOD /path".
func (b *bundle) walk() []string {
	b.Helper()
	var found []string
	err := chi.Walk(b.Mux, func(method, path string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		found = append(found, method+" "+path)
		return nil
	})
	if err != nil || len(found) == 0 {
		b.Fatalf("found %d routes: %v", len(found), err)
	}
	return found
}

func (b *bundle) keyed() []web.Route {
	return slices.DeleteFunc(slices.Clone(b.Routes), func(r web.Route) bool { return r.Repeat != web.Keyed })
}

// column finds what a keyed route creates, and its face.
func column(t *testing.T, route web.Route) (thing, face) {
	t.Helper()
	path, isAPI := strings.CutPrefix(route.Path, "/api/v1")
	for _, of := range things() {
		if of.path == path && isAPI {
			return of, jsonFace{}
		}
		if of.path == path {
			return of, htmlFace{}
		}
	}
	t.Fatalf("%s %s has no command to try it with: add its thing to things()", route.Method, route.Path)
	return thing{}, nil
}

func TestEveryRouteSaysWhatARepeatDoes(t *testing.T) {
	b := setup(t)
	// Files, and two lines of text for whoever watches the program.
	plain := []string{"GET /static/*", "GET /healthz", "GET /readyz"}
	listed := map[string]web.Route{}
	for _, route := range b.Routes {
		listed[route.Method+" "+route.Path] = route
	}
	for _, route := range b.walk() {
		if _, ok := listed[route]; !ok && !slices.Contains(plain, route) {
			t.Errorf("%s is not in Routes: nothing says what a repeat of it does", route)
		}
		delete(listed, route)
	}
	for route := range listed {
		t.Errorf("%s is in Routes and does not exist", route)
	}
	for _, route := range b.Routes {
		switch {
		case route.Repeat == web.Read && route.Method == http.MethodGet:
		case (route.Repeat == web.Keyed || route.Repeat == web.Natural) && route.Method == http.MethodPost && len(route.Why) > 5:
		default:
			t.Errorf("%+v", route)
		}
	}
	if len(b.keyed()) < 4 {
		t.Errorf("only %d routes are keyed", len(b.keyed()))
	}
}

func TestEveryKeyedRouteNeedsItsKey(t *testing.T) {
	b := setup(t)
	for _, route := range b.keyed() {
		of, f := column(t, route)
		x := &try{bundle: b, thing: of, face: f, caller: f.caller(b, b.site, b.acme)}
		refused := x.caller.must(f.send(t.Context(), x.caller, of, "", of.command))
		f.refused(x, refused, "key-missing", of.command)
		b.wantRows(rows{})
	}
}

func TestEveryKeyedRouteReplays(t *testing.T) {
	for _, route := range setup(t).keyed() {
		t.Run(strings.ReplaceAll(route.Path, "/", " "), func(t *testing.T) {
			b := setup(t)
			of, f := column(t, route)
			x := &try{bundle: b, thing: of, face: f, caller: f.caller(b, b.site, b.acme)}
			first := x.ask(of.command)
			f.created(x, first)
			f.replayed(x, x.ask(of.command), first)
			b.wantRows(of.leaves)
			if operation := get[string](b, `SELECT operation FROM intents`); operation != route.Why {
				t.Errorf("%s ran %s", route.Why, operation)
			}
		})
	}
}

// TestEveryNaturalRouteIsNatural: a repeat of it leaves the tables as they are.
func TestEveryNaturalRouteIsNatural(t *testing.T) {
	b := setup(t)
	person := b.person(b.site, b.acme)
	for _, route := range b.Routes {
		if route.Repeat != web.Natural {
			continue
		}
		for range 2 {
			if a := person.submit(route.Path, change(invoices().command, "idempotency_key", key, "action", "add_line")); a.status >= 500 {
				t.Errorf("%s: %v", route.Path, a)
			}
		}
		b.wantRows(rows{})
	}
}

// TestEveryRouteNeedsALogin, except those that say so.
func TestEveryRouteNeedsALogin(t *testing.T) {
	b := setup(t)
	stranger := b.browser(b.site)
	for _, route := range b.Routes {
		if route.Public {
			continue
		}
		a := stranger.must(stranger.send(t.Context(), route.Method, strings.ReplaceAll(route.Path, "{id}", key), ""))
		toLogin := a.status == http.StatusSeeOther && strings.HasPrefix(a.location(), "/login?next=%2F")
		if a.status != http.StatusUnauthorized && !toLogin {
			t.Errorf("%s %s: %v", route.Method, route.Path, a)
		}
	}
}
