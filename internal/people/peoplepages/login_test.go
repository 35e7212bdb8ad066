package peoplepages_test

import (
	"net/http"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/customer/customercases"
	"onlyonce/internal/site/sitetest"
)

// holding returns a client with a stolen session cookie.
func holding(b *sitetest.Bundle, token string) *sitetest.Client {
	return b.Browser(b.Replica).With("Cookie", sitetest.SessionCookie+"="+token)
}

func isIn(c *sitetest.Client) bool { return c.Get("/customers").Status == http.StatusOK }

func TestCookies(t *testing.T) {
	t.Parallel()
	for name, cookie := range map[string]string{"on loopback": sitetest.SessionCookie, "elsewhere": sitetest.SecureCookie} {
		t.Run(name, func(t *testing.T) {
			secure := cookie == sitetest.SecureCookie
			b := sitetest.Setup(t)
			at := b.Serve(func(c *sitetest.Config) { c.Secure = secure })
			person := b.Browser(at)
			a := person.LogIn(b.Acme, sitetest.Password)
			session := sitetest.CookieOf(t, a, cookie)
			sitetest.CheckCookie(t, session, secure)
			assert.Thatf(t, session.Path == "/" && session.Domain == "", "%v", session)
			// A browser doesn't store a secure cookie from http://, so the test adds it to the request.
			form := sitetest.Change(customercases.Customers().Command, "idempotency_key", sitetest.Key)
			made := person.With("Cookie", cookie+"="+session.Value).Submit("/customers", form)
			flash := sitetest.CookieOf(t, made, "onlyonce_flash")
			sitetest.CheckCookie(t, flash, secure)
			assert.Thatf(t, flash.Path == made.Location() && !strings.Contains(flash.Value, "Ada"), "%v", flash)
			hsts := a.Header.Get("Strict-Transport-Security")
			assert.Thatf(t, (hsts != "") == secure, "Strict-Transport-Security %q", hsts)
		})
	}
}

// TestLoginsAtTwoPorts of the same host are independent sessions.
func TestLoginsAtTwoPorts(t *testing.T) {
	b := sitetest.Setup(t)
	person := b.Person(b.Serve(func(c *sitetest.Config) { c.Port = "8080" }), b.Acme)
	other := person.Elsewhere(b.Serve(func(c *sitetest.Config) { c.Port = "8081" }).URL)
	other.LogIn(b.Globex, sitetest.Password)
	b.Page(person.Get("/customers")).Says("Acme")
	b.Page(other.Get("/customers")).Says("Globex")
	changed := sitetest.Change(customercases.Customers().Command, "idempotency_key", sitetest.Key)
	flash := sitetest.CookieOf(t, person.Submit("/customers", changed), "onlyonce_flash_8080")
	assert.Thatf(t, flash.Value != "", "%v", flash)
}

func TestLoginRotatesTheSession(t *testing.T) {
	b := sitetest.Setup(t)
	person := b.Person(b.Replica, b.Acme)
	first := person.Session()
	person.LogIn(b.Globex, sitetest.Password)
	second := person.Session()
	assert.Thatf(t, first != second && !isIn(holding(b, first)) && isIn(holding(b, second)),
		"first %s works: %v, second %s works: %v", first, isIn(holding(b, first)), second, isIn(holding(b, second)))
	b.Page(holding(b, second).Get("/customers")).Says("Globex")

	planted := holding(b, "planted-by-somebody-else")
	planted.LogIn(b.Acme, sitetest.Password)
	assert.Thatf(t, planted.Session() != "planted-by-somebody-else" && !isIn(holding(b, "planted-by-somebody-else")),
		"a planted session was adopted")
}

func TestLogoutEndsTheSession(t *testing.T) {
	b := sitetest.Setup(t)
	person := b.Person(b.Replica, b.Acme)
	token := person.Session()
	for range 2 {
		a := person.Submit("/logout", nil)
		assert.Thatf(t, a.Status == http.StatusSeeOther && a.Location() == "/login?logged-out", "%v", a)
	}
	assert.Thatf(t, !isIn(holding(b, token)) && person.Session() == "", "still logged in")
}

func TestStoredSessionIsOfNoUse(t *testing.T) {
	b := sitetest.Setup(t)
	person := b.Person(b.Replica, b.Acme)
	stored := sitetest.Get[string](b, `SELECT token FROM sessions`)
	assert.Thatf(t, stored != person.Session() && !isIn(holding(b, stored)), "what the database holds is accepted as a session")
}

func TestSessionsEnd(t *testing.T) {
	b := sitetest.Setup(t)
	person := b.Person(b.Replica, b.Acme)
	b.Exec(`UPDATE sessions SET expiry = now() - interval '1 second'`)
	assert.Thatf(t, !isIn(person), "an expired session works")
}

func TestThrottledLogin(t *testing.T) {
	b := sitetest.Setup(t)
	person := b.Browser(b.Replica)
	var last sitetest.Answer
	for range 11 {
		last = person.LogIn(sitetest.Tenant{Email: "Guessed@example.com"}, "secret guess")
	}
	if last.Status != http.StatusTooManyRequests || last.Header.Get("Retry-After") == "" || strings.Contains(last.Body, "secret guess") {
		t.Errorf("%v", last)
	}
	person.LogIn(b.Acme, sitetest.Password).Want(t, http.StatusSeeOther, "another person cannot log in")
}

func TestWrongLoginTellsNothing(t *testing.T) {
	b := sitetest.Setup(t)
	wrong := b.Browser(b.Replica).LogIn(b.Acme, "wrong")
	unknown := b.Browser(b.Replica).LogIn(sitetest.Tenant{Email: "nobody@example.com"}, "wrong")
	assert.Thatf(t, wrong.Status == http.StatusUnprocessableEntity && unknown.Status == http.StatusUnprocessableEntity &&
		strings.ReplaceAll(wrong.Body, b.Acme.Email, "nobody@example.com") == unknown.Body, "%v\n%v", wrong, unknown)
	assert.Thatf(t, !strings.Contains(wrong.Body, `"wrong"`), "the password came back")
}

func TestLoginLeadsBack(t *testing.T) {
	b := sitetest.Setup(t)
	person := b.Browser(b.Replica)
	asked := person.Get("/customers/new?key=" + sitetest.Key)
	p := b.Page(person.Get(asked.Location()))
	form := p.Typed()
	form.Set("email", b.Acme.Email)
	form.Set("password", sitetest.Password)
	if a := person.Submit("/login", form); a.Location() != "/customers/new?key="+sitetest.Key {
		t.Errorf("%v", a)
	}
	for _, elsewhere := range []string{"https://evil.example/", "//evil.example", "/\\evil.example"} {
		form.Set("next", elsewhere)
		a := person.Submit("/login", form)
		assert.Thatf(t, a.Location() == "/", "next=%s leads to %s", elsewhere, a.Location())
	}
}

func TestTokensOnly(t *testing.T) {
	b := sitetest.Setup(t)
	person := b.Person(b.Replica, b.Acme)
	for name, c := range map[string]*sitetest.Client{
		"a session":      person,
		"another scheme": b.Stranger(b.Replica).With("Authorization", "Basic "+b.Acme.Token),
		"no token":       b.Stranger(b.Replica).With("Authorization", "Bearer "),
		"a wrong token":  b.Stranger(b.Replica).With("Authorization", "Bearer "+b.Acme.Token+"x"),
	} {
		a := c.Get("/api/v1/customers")
		assert.Thatf(t, a.Status == http.StatusUnauthorized && a.Header.Get("WWW-Authenticate") == "Bearer", "%s: %v", name, a)
	}
	b.Exec(`UPDATE api_tokens SET revoked_at = now() WHERE tenant_id = $1`, b.Globex.ID)
	b.Program(b.Replica, b.Globex).Get("/api/v1/customers").Want(t, http.StatusUnauthorized, "a revoked token")
}

// TestLogoutClearsTheBrowser checks the headers; e2e checks their effect in a browser.
func TestLogoutClearsTheBrowser(t *testing.T) {
	b := sitetest.Setup(t)
	person := b.Person(b.Replica, b.Acme)
	const sheet = `<link rel="stylesheet" href="/logged-out.css"`
	loggedOut := person.Submit("/logout", nil)
	assert.Equal(t, loggedOut.Header.Get("Clear-Site-Data"), `"storage"`, "what was typed stays in the browser")
	if a := person.Get(loggedOut.Location()); !strings.Contains(a.Body, sheet) {
		t.Errorf("the page after the logout: %v", a)
	}
	if a := person.Get("/login"); strings.Contains(a.Body, sheet) {
		t.Errorf("who merely logs in again in another tab would lose what is typed: %v", a)
	}
	for site, want := range map[string]string{"same-origin": `"cache"`, "cross-site": "", "same-site": ""} {
		a := person.With("Sec-Fetch-Site", site).Get("/logged-out.css")
		got := a.Header.Get("Clear-Site-Data")
		assert.Thatf(t, got == want && a.Status == http.StatusOK && a.Body == "", "asked by a page %s: %v", site, a)
	}
}
