package site_test

import (
	"net/http"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/customer/customercases"
	"onlyonce/internal/site/sitetest"
)

// TestLoginUnknown: without the database the server can't check the session. The page reports that, instead of looking as if
// the visitor were logged out.
func TestLoginUnknown(t *testing.T) {
	b := setup(t)
	person, cut := sitetest.BehindCut(b, customercases.Customers())
	cut()
	form := sitetest.Change(customercases.Customers().Other, "idempotency_key", sitetest.Key)
	for what, a := range map[string]sitetest.Answer{"page": person.Get("/customers"), "form": person.Submit("/customers", form)} {
		p := b.Page(a).Says("Login not checked")
		p.LeadsTo("/settings")
		p.LeadsTo("/customers")
		for _, link := range sitetest.Elements(p.Root, "a") {
			assert.Thatf(t, sitetest.Text(link) != "Log in", "%s: offers to log in", what)
		}
	}
	if p := b.Page(b.Browser(b.Replica).Get("/docs/api")); strings.Contains(p.Text(), "Login not checked") {
		t.Error("a stranger is known to be one")
	}
}

// TestLoginDuringAnOutage: the form doesn't keep the password, so the user enters it again.
func TestLoginDuringAnOutage(t *testing.T) {
	b := setup(t)
	person, cut := sitetest.BehindCut(b, customercases.Customers())
	cut()
	a := person.LogIn(b.Acme, sitetest.Password)
	p := b.Page(a).Says("Temporarily unavailable", "Enter your password again.", b.Acme.Email)
	assert.Thatf(t, !strings.Contains(a.Body, sitetest.Password) && !strings.Contains(p.Text(), "What you typed is kept"), "%v", a)
	form := p.Typed()
	_, asked := form["password"]
	assert.Thatf(t, asked && form.Get("email") == b.Acme.Email, "what is sent again: %v", form)
	form.Set("password", sitetest.Password)
	again := b.Browser(b.Replica).Submit("/login", form)
	assert.Thatf(t, again.Status == http.StatusSeeOther, "not logged in: %v", again)
}
