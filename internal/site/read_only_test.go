package site_test

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/internal/web"

	"github.com/google/uuid"

	"onlyonce/internal/customer/customercases"
	"onlyonce/internal/site/sitetest"
)

// TestReadOnly: a read-only person and token get 403 from every route with an effect, and from its form. Each page that they
// may open has no form except for forms about their account. Every role is declared by the route, so none is forgotten.
func TestReadOnly(t *testing.T) {
	b := setup(t)
	ids := map[string]string{} // one record of each resource, by the first word of its address
	for _, of := range createdResources() {
		ids[strings.Split(of.Path, "/")[1]] = b.Prepared(b.Acme, of.Plural(), of, of.Command).ID
	}
	who, owner := b.ReadOnly(b.Acme), b.Person(b.Replica, b.Acme)
	made := owner.Submit("/tokens", url.Values{
		"name": {"report"}, "role": {"read-only"}, "scope": b.Replica.Scopes(), "idempotency_key": {sitetest.Key},
	})
	who.Token = b.Page(owner.Get(made.Location())).SecretOn()
	person := b.Person(b.Replica, who).With("Content-Type", "application/x-www-form-urlencoded")
	program := b.Program(b.Replica, who).With("Idempotency-Key", sitetest.Key).With("If-Match", `"1"`)
	form := sitetest.Change(customercases.Customers().Other, "idempotency_key", sitetest.Key, "version", "1").Encode()
	before, tried := b.Everything(), map[bool]int{}
	for _, route := range b.Routes {
		if route.Public() {
			continue
		}
		api, inAPI := strings.CutPrefix(route.Path, "/api/v1")
		word := strings.Split(api, "/")[1]
		own, reads := word == "account" || word == "lab" || word == "installation", route.Method == http.MethodGet
		switch {
		case isOwners(route.Path):
			assert.Thatf(t, route.Needs == web.Owner, "%s %s needs the role %q", route.Method, route.Path, route.Needs)
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
			asked, body, said = program, customercases.Customers().API.Encode(
				customercases.Customers().Other,
			), `"type":"/problems/read-only"`
		case isOwners(route.Path):
			said = "Only owners can open this page"
		}
		path := strings.ReplaceAll(route.Path, "{id}", cmp.Or(ids[word], uuid.NewString()))
		a := b.Must(asked.Send(t.Context(), route.Method, path, body))
		tried[inAPI]++
		if reads && route.Needs == web.ReadOnly {
			isForReadOnly(b, path, a)
			if a.Status == http.StatusSeeOther {
				isForReadOnly(b, path, asked.Get(a.Location()))
			}
			continue
		}
		assert.Thatf(t, a.Status == http.StatusForbidden && strings.Contains(a.Body, said), "%s %s: %v", route.Method, path, a)
	}
	sitetest.WantUnchanged(b, "who is read-only", before, b.Everything())
	assert.Thatf(t, tried[false] >= 30 && tried[true] >= 15, "only %d requests of pages, and %d of the API", tried[false], tried[true])
}

// isForReadOnly fails if an answer is a refusal, or a page with a broken link or a form that isn't about one's own account.
func isForReadOnly(b *sitetest.Bundle, path string, a sitetest.Answer) {
	b.Helper()
	assert.Thatf(b, a.Status != http.StatusForbidden, "%s: %v", path, a)
	if !strings.HasPrefix(a.Header.Get("Content-Type"), "text/html") {
		return
	}
	for _, link := range sitetest.Elements(b.Page(a).Root, "a") {
		if href, _ := sitetest.Attr(link, "href"); href == "" {
			b.Errorf("%s: %q leads nowhere", path, sitetest.Text(link))
		}
	}
	for _, form := range sitetest.Elements(b.Page(a).Root, "form") {
		method, _ := sitetest.Attr(form, "method")
		action, _ := sitetest.Attr(form, "action")
		assert.Thatf(b, method != "post" || strings.HasPrefix(action, "/account") || action == "/logout",
			"%s has a form for %s", path, action)
	}
}

// TestReadOnlySeesNoButtons: no page that is linked from the navigation offers a refused action: on empty lists, with one
// record of each resource, and after each transition.
func TestReadOnlySeesNoButtons(t *testing.T) {
	b := setup(t)
	person := b.Person(b.Replica, b.ReadOnly(b.Acme))
	offersNothing(b, person, 3)
	made := map[string]sitetest.Created{}
	for _, of := range createdResources() {
		if !of.People {
			made[of.Name] = b.Prepared(b.Acme, of.Plural(), of, of.Command)
		}
	}
	offersNothing(b, person, 10)
	program := b.Program(b.Replica, b.Acme)
	for _, of := range createdResources() {
		for _, state := range of.Transitions {
			if of.People || of.Owners {
				continue
			}
			a := program.With("Idempotency-Key", state.Verb+" "+of.Name).Post("/api/v1"+of.RecordAt(made[of.Name].ID)+"/"+state.Verb, "")
			refused := a.Status == http.StatusConflict && state.Refused.Slug != ""
			must.Thatf(b, a.Status == http.StatusOK || refused, "%s %s: %v", state.Verb, of.Name, a)
			for _, next := range offered(b, person, of.PageOf(made[of.Name].ID)) {
				offered(b, person, next)
			}
		}
	}
}

// offersNothing follows all links from the first page, and fails for each link to a refusal and each form that isn't about
// one's own account. It fails if it finds fewer pages than atLeast.
func offersNothing(b *sitetest.Bundle, person *sitetest.Client, atLeast int) {
	b.Helper()
	seen, next := map[string]bool{}, []string{"/customers", "/account"}
	for len(next) > 0 {
		path := next[0]
		if next = next[1:]; seen[path] {
			continue
		}
		seen[path] = true
		next = append(next, offered(b, person, path)...)
	}
	assert.Thatf(b, len(seen) >= atLeast, "only %d pages", len(seen))
}

// offered returns the pages of the app that a page links to, and fails if the page offers a refused action.
func offered(b *sitetest.Bundle, person *sitetest.Client, path string) (next []string) {
	b.Helper()
	a := person.Get(path)
	isForReadOnly(b, path, a)
	if !strings.HasPrefix(a.Header.Get("Content-Type"), "text/html") {
		return nil
	}
	for _, link := range sitetest.Elements(b.Page(a).Root, "a") {
		href, _ := sitetest.Attr(link, "href")
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
