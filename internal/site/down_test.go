package site_test

import (
	"net/http"
	"strings"
	"testing"
)

// behindCut returns a person at a server whose connection to the database can be cut, with one record of a resource.
func behindCut(b *bundle, of resource) (person *client, cut func()) {
	b.Helper()
	x := b.caseRun(of, htmlFormat{})
	far, wire, pool := x.behindWire()
	x.format.done(x, x.ask(x.command))
	return far, func() {
		wire.Close()
		pool.Reset()
	}
}

// TestLoginUnknown: without the database the server can't check the session. The page reports that, instead of looking as if
// the visitor were logged out.
func TestLoginUnknown(t *testing.T) {
	b := setup(t)
	person, cut := behindCut(b, customers())
	cut()
	form := change(customers().other, "idempotency_key", key)
	for what, a := range map[string]answer{"page": person.get("/customers"), "form": person.submit("/customers", form)} {
		p := b.page(a).says("Login not checked")
		p.leadsTo("/settings")
		p.leadsTo("/customers")
		for _, link := range all(p.root, "a") {
			if text(link) == "Log in" {
				t.Errorf("%s: offers to log in", what)
			}
		}
	}
	if p := b.page(b.browser(b.replica).get("/docs/api")); strings.Contains(p.text(), "Login not checked") {
		t.Error("a stranger is known to be one")
	}
}

// TestLoginDuringAnOutage: the form doesn't keep the password, so the user enters it again.
func TestLoginDuringAnOutage(t *testing.T) {
	b := setup(t)
	person, cut := behindCut(b, customers())
	cut()
	a := person.logIn(b.acme, password)
	p := b.page(a).says("Temporarily unavailable", "Enter your password again.", b.acme.email)
	if strings.Contains(a.body, password) || strings.Contains(p.text(), "What you typed is kept") {
		t.Errorf("%v", a)
	}
	form := p.typed()
	if _, asked := form["password"]; !asked || form.Get("email") != b.acme.email {
		t.Errorf("what is sent again: %v", form)
	}
	form.Set("password", password)
	if again := b.browser(b.replica).submit("/login", form); again.status != http.StatusSeeOther {
		t.Errorf("not logged in: %v", again)
	}
}
