package site_test

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"onlyonce/internal/web"
)

// readOnly returns a read-only user of a tenant.
func (b *bundle) readOnly(of tenant) tenant {
	b.Helper()
	of = b.member(of)
	b.exec(`UPDATE users SET role = 'read-only' WHERE email = $1`, of.email)
	return of
}

// TestReadOnly: a read-only person and token get 403 from every route with an effect, and from its form. Each page that they
// may open has no form except for forms about their account. Every role is declared by the route, so none is forgotten.
func TestReadOnly(t *testing.T) {
	b := setup(t)
	ids := map[string]string{} // one record of each resource, by the first word of its address
	for _, of := range createdResources() {
		ids[strings.Split(of.path, "/")[1]] = b.prepared(b.acme, of.plural(), of, of.command).ID
	}
	who, owner := b.readOnly(b.acme), b.person(b.replica, b.acme)
	made := owner.submit("/tokens", url.Values{"name": {"report"}, "role": {"read-only"}, "idempotency_key": {key}})
	who.token = b.page(owner.get(made.location())).secretOn()
	person := b.person(b.replica, who).with("Content-Type", "application/x-www-form-urlencoded")
	program := b.program(b.replica, who).with("Idempotency-Key", key).with("If-Match", `"1"`)
	form := change(customers().other, "idempotency_key", key, "version", "1").Encode()
	before, tried := b.everything(), map[bool]int{}
	for _, route := range b.Routes {
		if route.Public() {
			continue
		}
		api, inAPI := strings.CutPrefix(route.Path, "/api/v1")
		word := strings.Split(api, "/")[1]
		own, reads := word == "account" || word == "lab", route.Method == http.MethodGet
		switch {
		case isOwners(route.Path):
			if route.Needs != web.Owner {
				t.Errorf("%s %s needs the role %q", route.Method, route.Path, route.Needs)
			}
		case own && route.Needs != web.ReadOnly, !own && !reads && route.Needs != web.Member,
			inAPI && reads && route.Needs != web.ReadOnly:
			t.Errorf("%s %s needs the role %q", route.Method, route.Path, route.Needs)
		}
		if own {
			continue
		}
		asked, body, said := person, form, "Ask an owner of the business to make you a member"
		switch {
		case inAPI:
			asked, body, said = program, customers().api.encode(customers().other), `"type":"/problems/read-only"`
		case isOwners(route.Path):
			said = "Only owners can open this page"
		}
		path := strings.ReplaceAll(route.Path, "{id}", cmp.Or(ids[word], uuid.NewString()))
		a := b.must(asked.send(t.Context(), route.Method, path, body))
		tried[inAPI]++
		if reads && route.Needs == web.ReadOnly {
			b.isForReadOnly(path, a)
			if a.status == http.StatusSeeOther {
				b.isForReadOnly(path, asked.get(a.location()))
			}
			continue
		}
		if a.status != http.StatusForbidden || !strings.Contains(a.body, said) {
			t.Errorf("%s %s: %v", route.Method, path, a)
		}
	}
	wantUnchanged(b, "who is read-only", before, b.everything())
	if tried[false] < 30 || tried[true] < 15 {
		t.Errorf("only %d requests of pages, and %d of the API", tried[false], tried[true])
	}
}

// isForReadOnly fails if an answer is a refusal, or a page with a broken link or a form that isn't about one's own account.
func (b *bundle) isForReadOnly(path string, a answer) {
	b.Helper()
	if a.status == http.StatusForbidden {
		b.Errorf("%s: %v", path, a)
	}
	if !strings.HasPrefix(a.header.Get("Content-Type"), "text/html") {
		return
	}
	for _, link := range all(b.page(a).root, "a") {
		if href, _ := attr(link, "href"); href == "" {
			b.Errorf("%s: %q leads nowhere", path, text(link))
		}
	}
	for _, form := range all(b.page(a).root, "form") {
		method, _ := attr(form, "method")
		action, _ := attr(form, "action")
		if method == "post" && !strings.HasPrefix(action, "/account") && action != "/logout" {
			b.Errorf("%s has a form for %s", path, action)
		}
	}
}

// TestReadOnlySeesNoButtons: no page that is linked from the navigation offers a refused action: on empty lists, with one
// record of each resource, and after each transition.
func TestReadOnlySeesNoButtons(t *testing.T) {
	b := setup(t)
	person := b.person(b.replica, b.readOnly(b.acme))
	b.offersNothing(person, 3)
	made := map[string]created{}
	for _, of := range createdResources() {
		if !of.people {
			made[of.name] = b.prepared(b.acme, of.plural(), of, of.command)
		}
	}
	b.offersNothing(person, 10)
	program := b.program(b.replica, b.acme)
	for _, of := range createdResources() {
		for _, state := range of.transitions {
			if of.people {
				continue
			}
			a := program.with("Idempotency-Key", state.verb+" "+of.name).post("/api/v1"+of.recordAt(made[of.name].ID)+"/"+state.verb, "")
			if a.status != http.StatusOK {
				b.Fatalf("%s %s: %v", state.verb, of.name, a)
			}
			for _, next := range b.offered(person, of.pageOf(made[of.name].ID)) {
				b.offered(person, next)
			}
		}
	}
}

// offersNothing follows all links from the first page, and fails for each link to a refusal and each form that isn't about
// one's own account. It fails if it finds fewer pages than atLeast.
func (b *bundle) offersNothing(person *client, atLeast int) {
	b.Helper()
	seen, next := map[string]bool{}, []string{"/customers", "/account"}
	for len(next) > 0 {
		path := next[0]
		if next = next[1:]; seen[path] {
			continue
		}
		seen[path] = true
		next = append(next, b.offered(person, path)...)
	}
	if len(seen) < atLeast {
		b.Errorf("only %d pages", len(seen))
	}
}

// offered returns the pages of the app that a page links to, and fails if the page offers a refused action.
func (b *bundle) offered(person *client, path string) (next []string) {
	b.Helper()
	a := person.get(path)
	b.isForReadOnly(path, a)
	if !strings.HasPrefix(a.header.Get("Content-Type"), "text/html") {
		return nil
	}
	for _, link := range all(b.page(a).root, "a") {
		href, _ := attr(link, "href")
		to, err := url.Parse(href)
		if err != nil || to.Host != "" || !strings.HasPrefix(to.Path, "/") ||
			slices.Contains([]string{"/docs/api", "/rules", "/openapi.json", "/login"}, to.Path) ||
			strings.HasPrefix(to.Path, "/problems") {
			continue
		}
		next = append(next, strings.Split(href, "#")[0])
	}
	return next
}
