package web_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"
	"github.com/jackc/pgx/v5"

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
	return slices.DeleteFunc(slices.Clone(b.Routes), func(r web.Route) bool { return r.Repeat != web.Once || strings.Contains(r.Path, "{id}") })
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
		case route.Repeat == web.Once && route.Method != http.MethodGet && len(route.Why) > 5:
		case route.Repeat == web.Natural && route.Method == http.MethodPost && len(route.Why) > 5:
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

// TestEveryNaturalRouteIsNatural: it leaves the tables as they are, the first time and when it is repeated,
// whatever form it is sent. Each form is sent by somebody who has just logged in, since a route may log out.
func TestEveryNaturalRouteIsNatural(t *testing.T) {
	b := setup(t)
	acme := b.person(b.site, b.acme)
	for _, of := range things() {
		x := &try{bundle: b, thing: of, face: htmlFace{}, caller: acme}
		x.ask(of.command)
	}
	before := b.contents()
	tried := 0
	for _, route := range b.Routes {
		if route.Repeat != web.Natural {
			continue
		}
		tried++
		for _, of := range things() {
			// A new one, because logins are limited for each email.
			somebody := b.tenant("Somebody at " + route.Path + " with " + of.name)
			person := b.person(b.site, somebody)
			form := change(of.other, "idempotency_key", "another", "action", "add_line", "email", somebody.email, "password", password)
			for _, sender := range []*client{acme, acme, person, person} {
				if route.Public && sender == acme {
					continue // who logs out or in is somebody else from then on
				}
				if a := sender.submit(route.Path, form); a.status >= http.StatusInternalServerError {
					t.Errorf("%s: %v", route.Path, a)
				}
			}
			if after := b.contents(); after != before {
				t.Errorf("%s is not natural, it changed the tables of a tenant: make it an operation, with keyed", route.Path)
				before = after
			}
		}
	}
	if tried < 3 {
		t.Errorf("only %d routes are natural", tried)
	}
}

// contents is a digest of all rows of all tables that belong to tenants.
func (b *bundle) contents() string {
	b.Helper()
	var digests []string
	for _, table := range b.tenantTables() {
		digests = append(digests, get[string](b, `SELECT COALESCE(md5(string_agg(row::text, ',' ORDER BY row::text)), '') FROM `+
			pgx.Identifier{table}.Sanitize()+` AS row`))
	}
	return strings.Join(digests, " ")
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
