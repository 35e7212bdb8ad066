package site_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"onlyonce/internal/people/account"
)

// readOnly is somebody of a tenant who changes nothing.
func (b *bundle) readOnly(of tenant) tenant {
	b.Helper()
	of = b.member(of)
	b.exec(`UPDATE users SET role = 'read-only' WHERE email = $1`, of.email)
	return of
}

// TestReadOnly: who is read-only gets 403 from every route that changes something, and from its form. Every role that comes in is
// declared by the route, so none is forgotten.
func TestReadOnly(t *testing.T) {
	b := setup(t)
	made := b.prepared(b.acme, "one", customers(), customers().command).ID
	person := b.person(b.replica, b.readOnly(b.acme))
	before, tried := b.everything(), 0
	for _, route := range b.Routes {
		reads := route.Method == http.MethodGet && !strings.HasSuffix(route.Path, "/new") && !strings.HasSuffix(route.Path, "/edit")
		own := route.Path == "/account" || strings.HasPrefix(route.Path, "/lab")
		switch {
		case route.Public():
			continue
		case isOwners(route.Path):
			if route.Needs != account.Owner {
				t.Errorf("%s %s needs the role %q", route.Method, route.Path, route.Needs)
			}
		case (reads || own) != (route.Needs == account.ReadOnly):
			t.Errorf("%s %s needs the role %q", route.Method, route.Path, route.Needs)
		}
		if strings.HasPrefix(route.Path, "/api/") || route.Needs == account.ReadOnly {
			continue
		}
		form := change(customers().command, "idempotency_key", key, "version", "1").Encode()
		asked := person.with("Content-Type", "application/x-www-form-urlencoded")
		a := b.must(asked.send(t.Context(), route.Method, strings.ReplaceAll(route.Path, "{id}", made), form))
		if a.status != http.StatusForbidden {
			t.Errorf("%s %s: %v", route.Method, route.Path, a)
			continue
		}
		said := "Only members can change this"
		if route.Needs == account.Owner {
			said = "Only owners can open this page"
		}
		b.page(a).says(said)
		tried++
	}
	wantUnchanged(b, "who is read-only", before, b.everything())
	if tried < 50 {
		t.Errorf("only %d requests", tried)
	}
}

// TestReadOnlySeesNoButtons: no page that leads on from the navigation offers what is refused, neither while there is nothing nor
// when there is one of everything.
func TestReadOnlySeesNoButtons(t *testing.T) {
	b := setup(t)
	person := b.person(b.replica, b.readOnly(b.acme))
	b.offersNothing(person, 3)
	for _, of := range createdResources() {
		if !of.people {
			b.prepared(b.acme, of.plural(), of, of.command)
		}
	}
	b.offersNothing(person, 20)
}

// offersNothing follows all links from the first page on, and fails for each that leads to a refusal and each form that is not one's
// own. It fails unless there are some pages.
func (b *bundle) offersNothing(person *client, atLeast int) {
	b.Helper()
	own := []string{"/account", "/logout"}
	seen, next := map[string]bool{}, []string{"/customers", "/account"}
	for len(next) > 0 {
		path := next[0]
		if next = next[1:]; seen[path] {
			continue
		}
		seen[path] = true
		a := person.get(path)
		if a.status == http.StatusForbidden {
			b.Errorf("a link leads to %s: %v", path, a)
		}
		if !strings.HasPrefix(a.header.Get("Content-Type"), "text/html") {
			continue
		}
		root := b.page(a).root
		for _, form := range all(root, "form") {
			method, _ := attr(form, "method")
			action, _ := attr(form, "action")
			if method == "post" && !slices.Contains(own, action) {
				b.Errorf("%s has a form for %s", path, action)
			}
		}
		for _, link := range all(root, "a") {
			href, _ := attr(link, "href")
			to, err := url.Parse(href)
			if err != nil || to.Host != "" || !strings.HasPrefix(to.Path, "/") ||
				slices.Contains([]string{"/docs/api", "/rules", "/openapi.json", "/login"}, to.Path) ||
				strings.HasPrefix(to.Path, "/problems") {
				continue
			}
			next = append(next, strings.Split(href, "#")[0])
		}
	}
	if len(seen) < atLeast {
		b.Errorf("only %d pages", len(seen))
	}
}
