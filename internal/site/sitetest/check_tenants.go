package sitetest

import (
	"cmp"
	"maps"
	"net/http"
	"net/url"
	"strings"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
)

// Opened returns the filled-in form of a resource, as a person opens it.
func (x *Case) Opened() url.Values {
	x.Helper()
	path := x.Resource.List() + "/new"
	for range 2 {
		a := x.Caller.Get(path)
		if a.Status == http.StatusOK {
			form := x.Page(a).Typed()
			maps.Copy(form, x.Command)
			return form
		}
		path = a.Location()
	}
	x.Fatalf("no form at %s", path)
	return nil
}

// button returns the label of the button that sends the form, also on the page that returns another tenant's form. If
// the form has a parent, that page can't show the form itself.
func (x *Case) button() string {
	if x.Resource.Parent != nil {
		return "Try again"
	}
	return cmp.Or(x.Resource.Words.Button, strings.ToUpper(x.Resource.Words.Verb[:1])+x.Resource.Words.Verb[1:]+" "+x.Resource.Name)
}

// formOfAnotherTenant: a form that was opened as acme is sent after a login as globex in another tab. Then the person logs
// in as acme again.
func formOfAnotherTenant(x *Case) {
	p := x.refusedAsGlobex()
	p.LeadsTo("/login?switch")
	for _, link := range Elements(p.Root, "a") { // the link doesn't replace the form
		href, _ := Attr(link, "href")
		if in, _ := Attr(link, "target"); href == "/login?switch" && in != "_blank" {
			x.Errorf("%s takes the place of what was typed", Text(link))
		}
	}
	login := x.Caller.Get("/login?switch")
	assert.Thatf(x, login.Status == http.StatusOK, "the way to log in as another: %v", login)
	x.Caller.LogIn(x.Acme, Password)
	x.Format.Done(x, x.Caller.Press(p, x.button()))
	x.madeFor(x.Acme)
}

// formOfAnotherTenantIsUsedHere: the person uses the form for globex, unless it belongs to a record of acme.
func formOfAnotherTenantIsUsedHere(x *Case) {
	if x.Resource.Parent != nil {
		return
	}
	x.Refer(x.Resource, x.Globex)
	x.Forget()
	x.Before = x.Rows()
	p := x.refusedAsGlobex()
	x.Format.Done(x, x.Caller.Press(p, "Create it for Globex"))
	x.madeFor(x.Globex)
}

// refusedAsGlobex sends a form of acme as globex, and returns the page with the refused form.
func (x *Case) refusedAsGlobex() (p Page) {
	x.Helper()
	form := x.Opened()
	x.Caller.LogIn(x.Globex, Password)
	for range 2 { // the refused form, sent again, is still refused
		refused := x.Caller.Submit(x.Resource.List(), form)
		must.Thatf(x, refused.Status == http.StatusConflict, "%v", refused)
		p = x.Page(refused).Says("This form belongs to Acme, and you are now logged in as Globex.", "Nothing was saved.")
		Keeps(x.Bundle, p, x.Command)
		again := p.Typed()
		for _, name := range []string{"idempotency_key", "tenant", "tenant_name"} {
			assert.Thatf(x, again.Get(name) == form.Get(name), "%s was %q and is %q", name, form.Get(name), again.Get(name))
		}
		x.Caller.choose(p.Form(), again)
		form = again
	}
	x.WantRows(Rows{})
	return p
}

// madeFor fails unless the form was carried out for a tenant, once.
func (x *Case) madeFor(of Tenant) {
	x.Helper()
	x.WantRows(x.Leaves)
	made := `SELECT count(*) FROM intents WHERE tenant_id = $1 AND operation = $2 AND key NOT LIKE 'referred %'` // see Refer
	n := Get[int](x.Bundle, made, of.ID, x.Operation)
	assert.Thatf(x, n == 1, "it was not made for %s", of.Name)
	x.WantOutcomes("rejected", "rejected", "created")
}

// changeOfAnotherTenant: a form that changes a record was opened as acme, and is sent after a login as globex in another
// tab. The answer has nothing of the record, and the typed values are kept until acme is back.
func changeOfAnotherTenant(x *Case) {
	form := Change(x.Command, "tenant", x.Acme.ID.String(), "tenant_name", "Acme")
	x.Caller.LogIn(x.Globex, Password)
	refused := x.Ask(form)
	must.Thatf(x, refused.Status == http.StatusConflict, "%v", refused)
	p := x.Page(refused).Says("This form belongs to Acme, and you are now logged in as Globex.")
	Keeps(x.Bundle, p, form)
	x.WantRows(Rows{})
	x.Caller.LogIn(x.Acme, Password)
	button := "Save changes"
	if x.IsButton() {
		button = "Try again"
	}
	x.Format.Done(x, x.Caller.Press(p, button))
}

// keyOfAnotherTenantIsAnotherIntent, even with the same command.
func keyOfAnotherTenantIsAnotherIntent(x *Case) {
	y := x.another(x.Globex, "prepared", x.Resource.Command)
	y.Caller = x.Format.Caller(x.Bundle, x.Replica, x.Globex)
	x.Forget()
	y.Command = y.Resource.of(x.Globex, y.Command)
	first := x.Done()
	second := y.Ask(y.Command)
	y.Format.Done(&y, second)
	assert.Thatf(x, x.Resource.Only || x.Format.record(x, first) != y.Format.record(&y, second), "two tenants share a record")
	y.Format.Replayed(&y, y.Ask(y.Command), second)
	x.WantOutcomes(Did, Did, "replayed")
}
