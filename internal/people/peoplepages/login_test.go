package peoplepages_test

import (
	"net/http"
	"strings"
	"testing"

	"onlyonce/internal/customer/customercases"
	"onlyonce/internal/must"
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
			if session.Path != "/" || session.Domain != "" {
				t.Errorf("%v", session)
			}
			// A browser doesn't store a secure cookie from http://, so the test adds it to the request.
			form := sitetest.Change(customercases.Customers().Command, "idempotency_key", sitetest.Key)
			made := person.With("Cookie", cookie+"="+session.Value).Submit("/customers", form)
			flash := sitetest.CookieOf(t, made, "onlyonce_flash")
			sitetest.CheckCookie(t, flash, secure)
			if flash.Path != made.Location() || strings.Contains(flash.Value, "Ada") {
				t.Errorf("%v", flash)
			}
			if hsts := a.Header.Get("Strict-Transport-Security"); (hsts != "") != secure {
				t.Errorf("Strict-Transport-Security %q", hsts)
			}
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
	if flash := sitetest.CookieOf(t, person.Submit("/customers", changed), "onlyonce_flash_8080"); flash.Value == "" {
		t.Errorf("%v", flash)
	}
}

func TestLoginRotatesTheSession(t *testing.T) {
	b := sitetest.Setup(t)
	person := b.Person(b.Replica, b.Acme)
	first := person.Session()
	person.LogIn(b.Globex, sitetest.Password)
	second := person.Session()
	if first == second || isIn(holding(b, first)) || !isIn(holding(b, second)) {
		t.Errorf("first %s works: %v, second %s works: %v", first, isIn(holding(b, first)), second, isIn(holding(b, second)))
	}
	b.Page(holding(b, second).Get("/customers")).Says("Globex")

	planted := holding(b, "planted-by-somebody-else")
	planted.LogIn(b.Acme, sitetest.Password)
	if planted.Session() == "planted-by-somebody-else" || isIn(holding(b, "planted-by-somebody-else")) {
		t.Error("a planted session was adopted")
	}
}

func TestLogoutEndsTheSession(t *testing.T) {
	b := sitetest.Setup(t)
	person := b.Person(b.Replica, b.Acme)
	token := person.Session()
	for range 2 {
		if a := person.Submit("/logout", nil); a.Status != http.StatusSeeOther || a.Location() != "/login?logged-out" {
			t.Errorf("%v", a)
		}
	}
	if isIn(holding(b, token)) || person.Session() != "" {
		t.Error("still logged in")
	}
}

// TestLogoutDuringARequest: a request in flight does not restore the session.
func TestLogoutDuringARequest(t *testing.T) {
	b := sitetest.Setup(t)
	x := b.Case(customercases.Customers(), sitetest.HTML{})
	token := x.Caller.Session()
	release := b.HoldIntent("customer.upsert")
	end := x.Begin(x.Caller, x.Command)
	b.Waiting(1)
	x.Caller.Submit("/logout", nil)
	release()
	end()
	if isIn(holding(b, token)) {
		t.Error("the session is back")
	}
	b.WantRows(x.Leaves)
}

func TestStoredSessionIsOfNoUse(t *testing.T) {
	b := sitetest.Setup(t)
	person := b.Person(b.Replica, b.Acme)
	stored := sitetest.Get[string](b, `SELECT token FROM sessions`)
	if stored == person.Session() || isIn(holding(b, stored)) {
		t.Error("what the database holds is accepted as a session")
	}
}

func TestSessionsEnd(t *testing.T) {
	b := sitetest.Setup(t)
	person := b.Person(b.Replica, b.Acme)
	b.Exec(`UPDATE sessions SET expiry = now() - interval '1 second'`)
	if isIn(person) {
		t.Error("an expired session works")
	}
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
	if wrong.Status != http.StatusUnprocessableEntity || wrong.Status != unknown.Status ||
		strings.ReplaceAll(wrong.Body, b.Acme.Email, "nobody@example.com") != unknown.Body {
		t.Errorf("%v\n%v", wrong, unknown)
	}
	if strings.Contains(wrong.Body, `"wrong"`) {
		t.Error("the password came back")
	}
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
		if a := person.Submit("/login", form); a.Location() != "/" {
			t.Errorf("next=%s leads to %s", elsewhere, a.Location())
		}
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
		if a := c.Get("/api/v1/customers"); a.Status != http.StatusUnauthorized || a.Header.Get("WWW-Authenticate") != "Bearer" {
			t.Errorf("%s: %v", name, a)
		}
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
	must.Equal(t, loggedOut.Header.Get("Clear-Site-Data"), `"storage"`, "what was typed stays in the browser")
	if a := person.Get(loggedOut.Location()); !strings.Contains(a.Body, sheet) {
		t.Errorf("the page after the logout: %v", a)
	}
	if a := person.Get("/login"); strings.Contains(a.Body, sheet) {
		t.Errorf("who merely logs in again in another tab would lose what is typed: %v", a)
	}
	for site, want := range map[string]string{"same-origin": `"cache"`, "cross-site": "", "same-site": ""} {
		a := person.With("Sec-Fetch-Site", site).Get("/logged-out.css")
		if got := a.Header.Get("Clear-Site-Data"); got != want || a.Status != http.StatusOK || a.Body != "" {
			t.Errorf("asked by a page %s: %v", site, a)
		}
	}
}
