package site_test

import (
	"net/http"
	"net/url"
	"path"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"

	"onlyonce/internal/web"
)

// walk returns all routes of the server as "METHOD /path".
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

func TestEveryRouteSaysWhatARepeatDoes(t *testing.T) {
	b := setup(t)
	listed := map[string]web.Route{}
	for _, route := range b.Routes {
		listed[route.Method+" "+route.Path] = route
	}
	for _, route := range b.walk() {
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
	if len(b.once()) < 4 {
		t.Errorf("only %d routes carry out an operation", len(b.once()))
	}
}

// TestEveryOperationIsTried: the subjects of the table of cases name each operation once, with its routes.
func TestEveryOperationIsTried(t *testing.T) {
	b := setup(t)
	tried := map[string]bool{}
	for _, of := range b.casesOf(resources()...) {
		if tried["POST "+of.form] = true; !of.resource.people {
			tried[of.method+" "+of.api] = true
		}
		mentioned := false
		for _, row := range cases() {
			mentioned = mentioned || slices.Contains(row.of, of.kind)
		}
		if !mentioned {
			t.Errorf("%s is of kind %d, and no case is about that", of.operation, of.kind)
		}
	}
	for _, route := range b.once() {
		if !tried[route.Method+" "+route.Path] {
			t.Errorf("%s %s (%s) is not tried: declare its resource, and add it to resources(); "+
				"one operation has one form and one place in the API", route.Method, route.Path, route.Why)
		}
	}
}

// TestEveryFieldIsDeclared: the table of cases changes each field of the forms and of the API.
func TestEveryFieldIsDeclared(t *testing.T) {
	t.Parallel()
	var parts []part
	for _, of := range slices.Concat(createdResources(), []resource{settings()}) {
		parts = append(parts, part{of, "fields", func(b *bundle) { everyFieldIsDeclared(b.caseRun(of, htmlFormat{}), of) }})
	}
	walk(t, parts)
}

func everyFieldIsDeclared(x *caseRun, of resource) {
	x.Helper()
	declared := map[string]bool{}
	for _, f := range of.fields {
		declared[f.name] = true
	}
	p := x.page(x.caller.get(x.caller.get(x.resource.formAt()).location()))
	for _, n := range all(p.form(), "input", "textarea", "select") {
		name, _ := attr(n, "name")
		// The field of a search is not part of the command.
		if kind, _ := attr(n, "type"); kind != "hidden" && kind != "search" && !declared[name] {
			x.Errorf("the form of %s has a field %q that its declaration lacks", of.name, name)
		}
	}
	if of.people {
		return
	}
	var sent []string
	for _, command := range append(of.variants(), of.command) {
		sent = append(sent, members("", decode[any](x.bundle, answer{body: of.api.encode(command)}))...)
	}
	for _, taken := range taken("", reflect.TypeOf(of.api.input)) {
		switch path.Base(taken) {
		case "source", "external_id": // see externalCases
			continue
		case "same_email", "series": // answers to questions of the form, see TestWhichCustomer and TestTypedAhead
			continue
		}
		if !slices.Contains(sent, taken) {
			x.Errorf("the API takes %s of %s, and no declared field sends it: add it to fields and command in %s_test.go",
				taken, of.name, of.name)
		}
	}
}

// variants returns the commands that differ in one field.
func (r resource) variants() (all []url.Values) {
	for _, f := range r.fields {
		all = append(all, f.another(r, r.command))
	}
	return all
}

// members returns the paths of the strings in a JSON value.
func members(at string, v any) (all []string) {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			all = append(all, members(at+"/"+name, member)...)
		}
	case []any:
		for _, element := range v {
			all = append(all, members(at+"/-", element)...)
		}
	default:
		all = []string{at}
	}
	return all
}

// taken returns the paths of the strings that are decoded from JSON into a type.
func taken(at string, of reflect.Type) (all []string) {
	switch of.Kind() {
	case reflect.Pointer:
		return taken(at, of.Elem())
	case reflect.Slice:
		return taken(at+"/-", of.Elem())
	case reflect.Struct:
		for f := range of.Fields() {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "" {
				name = f.Name
			}
			if f.Anonymous {
				all = append(all, taken(at, f.Type)...)
			} else if name != "-" {
				all = append(all, taken(at+"/"+name, f.Type)...)
			}
		}
		return all
	default:
		return []string{at}
	}
}

// TestEveryRouteNeedsALogin, except those that are declared as public.
func TestEveryRouteNeedsALogin(t *testing.T) {
	b := setup(t)
	stranger := b.browser(b.replica)
	for _, route := range b.Routes {
		if route.Public() {
			continue
		}
		a := stranger.must(stranger.send(t.Context(), route.Method, strings.ReplaceAll(route.Path, "{id}", key), ""))
		toLogin := a.status == http.StatusSeeOther && strings.HasPrefix(a.location(), "/login?next=%2F")
		if a.status != http.StatusUnauthorized && !toLogin {
			t.Errorf("%s %s: %v", route.Method, route.Path, a)
		}
	}
}
