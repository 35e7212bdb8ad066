package site_test

import (
	"cmp"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"

	"onlyonce/internal/web"
)

// opened returns the filled-in form of a resource, as a person opens it.
func (x *caseRun) opened() url.Values {
	x.Helper()
	path := x.resource.list() + "/new"
	for range 2 {
		a := x.caller.get(path)
		if a.status == http.StatusOK {
			form := x.page(a).typed()
			maps.Copy(form, x.command)
			return form
		}
		path = a.location()
	}
	x.Fatalf("no form at %s", path)
	return nil
}

// button returns the label of the button that sends the form, also on the page that returns another tenant's form. If
// the form has a parent, that page can't show the form itself.
func (x *caseRun) button() string {
	if x.resource.parent != nil {
		return "Try again"
	}
	return cmp.Or(x.resource.words.button, strings.ToUpper(x.resource.words.verb[:1])+x.resource.words.verb[1:]+" "+x.resource.name)
}

// eachForm runs a test for every form that creates a record, with a person of acme.
func eachForm(t *testing.T, test func(x *caseRun)) {
	t.Helper()
	t.Parallel()
	var parts []part
	for _, of := range createdResources() {
		parts = append(parts, part{of, "form", func(b *bundle) { test(b.caseRun(of, htmlFormat{})) }})
	}
	walk(t, parts)
}

// TestFormOfAnotherTenant: a form that was opened as acme is sent after a login as globex in another tab. Then the person logs
// in as acme again.
func TestFormOfAnotherTenant(t *testing.T) {
	eachForm(t, func(x *caseRun) {
		p := x.refusedAsGlobex()
		p.leadsTo("/login?switch")
		for _, link := range all(p.root, "a") { // the link doesn't replace the form
			href, _ := attr(link, "href")
			if in, _ := attr(link, "target"); href == "/login?switch" && in != "_blank" {
				x.Errorf("%s takes the place of what was typed", text(link))
			}
		}
		if login := x.caller.get("/login?switch"); login.status != http.StatusOK {
			x.Errorf("the way to log in as another: %v", login)
		}
		x.caller.logIn(x.acme, password)
		x.format.done(x, x.caller.press(p, x.button()))
		x.madeFor(x.acme)
	})
}

// TestFormOfAnotherTenantIsUsedHere: the person uses the form for globex, unless it belongs to a record of acme.
func TestFormOfAnotherTenantIsUsedHere(t *testing.T) {
	eachForm(t, func(x *caseRun) {
		if x.resource.parent != nil {
			return
		}
		x.refer(x.resource, x.globex)
		x.forget()
		x.before = x.rows()
		p := x.refusedAsGlobex()
		x.format.done(x, x.caller.press(p, "Create it for Globex"))
		x.madeFor(x.globex)
	})
}

// refusedAsGlobex sends a form of acme as globex, and returns the page with the refused form.
func (x *caseRun) refusedAsGlobex() (p page) {
	x.Helper()
	form := x.opened()
	x.caller.logIn(x.globex, password)
	for range 2 { // the refused form, sent again, is still refused
		refused := x.caller.submit(x.resource.list(), form)
		if refused.status != http.StatusConflict {
			x.Fatal(refused)
		}
		p = x.page(refused).says("This form belongs to Acme, and you are now logged in as Globex.", "Nothing was saved.")
		keeps(x.bundle, p, x.command)
		again := p.typed()
		for _, name := range []string{"idempotency_key", "tenant", "tenant_name"} {
			if again.Get(name) != form.Get(name) {
				x.Errorf("%s was %q and is %q", name, form.Get(name), again.Get(name))
			}
		}
		form = again
	}
	x.wantRows(rows{})
	return p
}

// madeFor fails unless the form was carried out for a tenant, once.
func (x *caseRun) madeFor(of tenant) {
	x.Helper()
	x.wantRows(x.leaves)
	if n := get[int](x.bundle, `SELECT count(*) FROM intents WHERE tenant_id = $1 AND operation = $2`, of.id, x.operation); n != 1 {
		x.Errorf("it was not made for %s", of.name)
	}
	x.wantOutcomes("rejected", "rejected", "created")
}

// TestChangeOfAnotherTenant: a form that changes a record was opened as acme, and is sent after a login as globex in another
// tab. The answer has nothing of the record, and the typed values are kept until acme is back.
func TestChangeOfAnotherTenant(t *testing.T) {
	t.Parallel()
	var parts []part
	for _, of := range oneOfEachKind(setupHere(t).casesOf(resources()...)) {
		if !of.kind.Changes() {
			continue
		}
		parts = append(parts, part{of.resource, of.operation, func(b *bundle) {
			x := b.caseRunOf(of, htmlFormat{})
			form := change(x.command, "tenant", x.acme.id.String(), "tenant_name", "Acme")
			x.caller.logIn(x.globex, password)
			refused := x.ask(form)
			if refused.status != http.StatusConflict {
				x.Fatal(refused)
			}
			p := x.page(refused).says("This form belongs to Acme, and you are now logged in as Globex.")
			keeps(x.bundle, p, form)
			x.wantRows(rows{})
			x.caller.logIn(x.acme, password)
			button := "Save changes"
			if x.isButton() {
				button = "Try again"
			}
			x.format.done(x, x.caller.press(p, button))
		}})
	}
	walk(t, parts)
}

// TestDecisionIsForOneTenant: a form that the user moved to globex belongs to it, also when it is refused for another reason.
// For a user who logs in later, the decision doesn't count.
func TestDecisionIsForOneTenant(t *testing.T) {
	x := setup(t).caseRun(customers(), htmlFormat{})
	form := x.opened()
	x.caller.logIn(x.globex, password)
	wrong := maps.Clone(form)
	maps.Copy(wrong, x.wrong())
	p := x.page(x.caller.press(x.page(x.caller.submit(x.resource.list(), wrong)), "Create it for Globex")).says("There is a problem")
	if got := p.typed(); got.Get("tenant") != x.globex.id.String() || got.Get("tenant_name") != "Globex" {
		t.Errorf("%v", got)
	}
	p = x.page(x.caller.submit(x.resource.list(), form))
	x.caller.logIn(x.tenant("Initech"), password)
	x.page(x.caller.press(p, "Create it for Globex")).says("This form belongs to Acme, and you are now logged in as Initech.")
	x.wantRows(rows{})
}

// TestNamesOfTenantsAreNotTold: the page has no name of a tenant that the form didn't have.
func TestNamesOfTenantsAreNotTold(t *testing.T) {
	b := setup(t)
	person := b.person(b.replica, b.globex)
	other := b.tenant("Initech") // a name that occurs nowhere else in the app
	for _, tenant := range []string{other.id.String(), uuid.NewString(), "nonsense"} {
		a := person.submit("/customers", change(customers().command, "idempotency_key", key, "tenant", tenant))
		b.page(a).says("This form belongs to another business, and you are now logged in as Globex.")
		if strings.Contains(a.body, "Initech") {
			t.Errorf("%s: %v", tenant, a)
		}
	}
	b.wantRows(rows{})
}

// TestEveryPostIsBoundToItsTenant sends each POST of a person, except logins and logouts.
func TestEveryPostIsBoundToItsTenant(t *testing.T) {
	b := setup(t)
	person := b.person(b.replica, b.globex)
	tried := 0
	for _, route := range b.Routes {
		if route.Method != http.MethodPost || route.Public() || strings.HasPrefix(route.Path, "/api/") || route.Repeat == web.Read {
			continue
		}
		if strings.HasPrefix(route.Path, "/lab") { // it stores nothing for a tenant
			continue
		}
		form := change(customers().command, "idempotency_key", key, "action", "add_line", "tenant", b.acme.id.String())
		if a := person.submit(route.Path, form); a.status != http.StatusConflict {
			t.Errorf("%s: %v", route.Path, a)
		}
		tried++
	}
	if tried < 3 {
		t.Errorf("only %d routes", tried)
	}
	b.wantRows(rows{})
}
