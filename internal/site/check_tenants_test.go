package site_test

import (
	"cmp"
	"maps"
	"net/http"
	"net/url"
	"strings"
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

// formOfAnotherTenant: a form that was opened as acme is sent after a login as globex in another tab. Then the person logs
// in as acme again.
func formOfAnotherTenant(x *caseRun) {
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
}

// formOfAnotherTenantIsUsedHere: the person uses the form for globex, unless it belongs to a record of acme.
func formOfAnotherTenantIsUsedHere(x *caseRun) {
	if x.resource.parent != nil {
		return
	}
	x.refer(x.resource, x.globex)
	x.forget()
	x.before = x.rows()
	p := x.refusedAsGlobex()
	x.format.done(x, x.caller.press(p, "Create it for Globex"))
	x.madeFor(x.globex)
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

// changeOfAnotherTenant: a form that changes a record was opened as acme, and is sent after a login as globex in another
// tab. The answer has nothing of the record, and the typed values are kept until acme is back.
func changeOfAnotherTenant(x *caseRun) {
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
}

// keyOfAnotherTenantIsAnotherIntent, even with the same command.
func keyOfAnotherTenantIsAnotherIntent(x *caseRun) {
	y := x.another(x.globex, "prepared", x.resource.command)
	y.caller = x.format.caller(x.bundle, x.replica, x.globex)
	x.forget()
	y.command = y.resource.of(x.globex, y.command)
	first := x.ask(x.command)
	x.format.done(x, first)
	second := y.ask(y.command)
	y.format.done(&y, second)
	if !x.resource.only && x.format.record(x, first) == y.format.record(&y, second) {
		x.Error("two tenants share a record")
	}
	y.format.replayed(&y, y.ask(y.command), second)
	x.wantOutcomes(did, did, "replayed")
}
