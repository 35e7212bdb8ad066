package site_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

const (
	sessionCookie = "onlyonce_session"
	// secureCookie is the name of the cookie over HTTPS.
	secureCookie = "__Host-onlyonce_session"
)

// session returns the session cookie of the browser.
func (c *client) session() string {
	at, err := url.Parse(c.url)
	if err != nil {
		c.b.Fatal(err)
	}
	for _, cookie := range c.http.Jar.Cookies(at) {
		if cookie.Name == sessionCookie {
			return cookie.Value
		}
	}
	return ""
}

// holding returns a client with a stolen session cookie.
func (b *bundle) holding(token string) *client {
	return b.browser(b.replica).with("Cookie", sessionCookie+"="+token)
}

func (c *client) isIn() bool { return c.get("/customers").status == http.StatusOK }

func TestCookies(t *testing.T) {
	t.Parallel()
	for name, cookie := range map[string]string{"on loopback": sessionCookie, "elsewhere": secureCookie} {
		t.Run(name, func(t *testing.T) {
			secure := cookie == secureCookie
			b := setup(t)
			at := b.serve(func(c *config) { c.Secure = secure })
			person := b.browser(at)
			a := person.logIn(b.acme, password)
			session := set(t, a, cookie)
			checkCookie(t, session, secure)
			if session.Path != "/" || session.Domain != "" {
				t.Errorf("%v", session)
			}
			// A browser doesn't store a secure cookie from http://, so the test adds it to the request.
			form := change(customers().command, "idempotency_key", key)
			made := person.with("Cookie", cookie+"="+session.Value).submit("/customers", form)
			flash := set(t, made, "onlyonce_flash")
			checkCookie(t, flash, secure)
			if flash.Path != made.location() || strings.Contains(flash.Value, "Ada") {
				t.Errorf("%v", flash)
			}
			if hsts := a.header.Get("Strict-Transport-Security"); (hsts != "") != secure {
				t.Errorf("Strict-Transport-Security %q", hsts)
			}
		})
	}
}

// TestLoginsAtTwoPorts of the same host are independent sessions.
func TestLoginsAtTwoPorts(t *testing.T) {
	b := setup(t)
	person := b.person(b.serve(func(c *config) { c.Port = "8080" }), b.acme)
	other := person.elsewhere(b.serve(func(c *config) { c.Port = "8081" }).url)
	other.logIn(b.globex, password)
	b.page(person.get("/customers")).says("Acme")
	b.page(other.get("/customers")).says("Globex")
	changed := change(customers().command, "idempotency_key", key)
	if flash := set(t, person.submit("/customers", changed), "onlyonce_flash_8080"); flash.Value == "" {
		t.Errorf("%v", flash)
	}
}

func set(t *testing.T, a answer, name string) *http.Cookie {
	t.Helper()
	for _, line := range a.header.Values("Set-Cookie") {
		cookie, err := http.ParseSetCookie(line)
		if err != nil {
			t.Fatal(err)
		}
		if cookie.Name == name {
			return cookie
		}
	}
	t.Fatalf("no cookie %s: %v", name, a)
	return nil
}

func checkCookie(t *testing.T, c *http.Cookie, secure bool) {
	t.Helper()
	if !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Secure != secure || c.Value == "" {
		t.Errorf("%v", c)
	}
}

func TestLoginRotatesTheSession(t *testing.T) {
	b := setup(t)
	person := b.person(b.replica, b.acme)
	first := person.session()
	person.logIn(b.globex, password)
	second := person.session()
	if first == second || b.holding(first).isIn() || !b.holding(second).isIn() {
		t.Errorf("first %s works: %v, second %s works: %v", first, b.holding(first).isIn(), second, b.holding(second).isIn())
	}
	b.page(b.holding(second).get("/customers")).says("Globex")

	planted := b.holding("planted-by-somebody-else")
	planted.logIn(b.acme, password)
	if planted.session() == "planted-by-somebody-else" || b.holding("planted-by-somebody-else").isIn() {
		t.Error("a planted session was adopted")
	}
}

func TestLogoutEndsTheSession(t *testing.T) {
	b := setup(t)
	person := b.person(b.replica, b.acme)
	token := person.session()
	for range 2 {
		if a := person.submit("/logout", nil); a.status != http.StatusSeeOther || a.location() != "/login?logged-out" {
			t.Errorf("%v", a)
		}
	}
	if b.holding(token).isIn() || person.session() != "" {
		t.Error("still logged in")
	}
}

// TestLogoutDuringARequest: a request in flight does not restore the session.
func TestLogoutDuringARequest(t *testing.T) {
	b := setup(t)
	x := b.caseRun(customers(), htmlFormat{})
	token := x.caller.session()
	release := b.holdIntent("customer.upsert")
	end := x.begin(x.caller, x.command)
	b.waiting(1)
	x.caller.submit("/logout", nil)
	release()
	end()
	if b.holding(token).isIn() {
		t.Error("the session is back")
	}
	b.wantRows(x.leaves)
}

func TestStoredSessionIsOfNoUse(t *testing.T) {
	b := setup(t)
	person := b.person(b.replica, b.acme)
	stored := get[string](b, `SELECT token FROM sessions`)
	if stored == person.session() || b.holding(stored).isIn() {
		t.Error("what the database holds is accepted as a session")
	}
}

func TestSessionsEnd(t *testing.T) {
	b := setup(t)
	person := b.person(b.replica, b.acme)
	b.exec(`UPDATE sessions SET expiry = now() - interval '1 second'`)
	if person.isIn() {
		t.Error("an expired session works")
	}
}

func TestThrottledLogin(t *testing.T) {
	b := setup(t)
	person := b.browser(b.replica)
	var last answer
	for range 11 {
		last = person.logIn(tenant{email: "Guessed@example.com"}, "secret guess")
	}
	if last.status != http.StatusTooManyRequests || last.header.Get("Retry-After") == "" || strings.Contains(last.body, "secret guess") {
		t.Errorf("%v", last)
	}
	if a := person.logIn(b.acme, password); a.status != http.StatusSeeOther {
		t.Errorf("another person cannot log in: %v", a)
	}
}

func TestWrongLoginTellsNothing(t *testing.T) {
	b := setup(t)
	wrong := b.browser(b.replica).logIn(b.acme, "wrong")
	unknown := b.browser(b.replica).logIn(tenant{email: "nobody@example.com"}, "wrong")
	if wrong.status != http.StatusUnprocessableEntity || wrong.status != unknown.status ||
		strings.ReplaceAll(wrong.body, b.acme.email, "nobody@example.com") != unknown.body {
		t.Errorf("%v\n%v", wrong, unknown)
	}
	if strings.Contains(wrong.body, `"wrong"`) {
		t.Error("the password came back")
	}
}

func TestLoginLeadsBack(t *testing.T) {
	b := setup(t)
	person := b.browser(b.replica)
	asked := person.get("/customers/new?key=" + key)
	p := b.page(person.get(asked.location()))
	form := p.typed()
	form.Set("email", b.acme.email)
	form.Set("password", password)
	if a := person.submit("/login", form); a.location() != "/customers/new?key="+key {
		t.Errorf("%v", a)
	}
	for _, elsewhere := range []string{"https://evil.example/", "//evil.example", "/\\evil.example"} {
		form.Set("next", elsewhere)
		if a := person.submit("/login", form); a.location() != "/" {
			t.Errorf("next=%s leads to %s", elsewhere, a.location())
		}
	}
}

func TestTokensOnly(t *testing.T) {
	b := setup(t)
	person := b.person(b.replica, b.acme)
	for name, c := range map[string]*client{
		"a session":      person,
		"another scheme": b.stranger(b.replica).with("Authorization", "Basic "+b.acme.token),
		"no token":       b.stranger(b.replica).with("Authorization", "Bearer "),
		"a wrong token":  b.stranger(b.replica).with("Authorization", "Bearer "+b.acme.token+"x"),
	} {
		if a := c.get("/api/v1/customers"); a.status != http.StatusUnauthorized || a.header.Get("WWW-Authenticate") != "Bearer" {
			t.Errorf("%s: %v", name, a)
		}
	}
	b.exec(`UPDATE api_tokens SET revoked_at = now() WHERE tenant_id = $1`, b.globex.id)
	if a := b.program(b.replica, b.globex).get("/api/v1/customers"); a.status != http.StatusUnauthorized {
		t.Errorf("a revoked token: %v", a)
	}
}

// TestLogoutClearsTheBrowser checks the headers; e2e checks their effect in a browser.
func TestLogoutClearsTheBrowser(t *testing.T) {
	b := setup(t)
	person := b.person(b.replica, b.acme)
	const sheet = `<link rel="stylesheet" href="/logged-out.css"`
	loggedOut := person.submit("/logout", nil)
	if got := loggedOut.header.Get("Clear-Site-Data"); got != `"storage"` {
		t.Errorf("what was typed stays in the browser: Clear-Site-Data %q", got)
	}
	if a := person.get(loggedOut.location()); !strings.Contains(a.body, sheet) {
		t.Errorf("the page after the logout: %v", a)
	}
	if a := person.get("/login"); strings.Contains(a.body, sheet) {
		t.Errorf("who merely logs in again in another tab would lose what is typed: %v", a)
	}
	for site, want := range map[string]string{"same-origin": `"cache"`, "cross-site": "", "same-site": ""} {
		a := person.with("Sec-Fetch-Site", site).get("/logged-out.css")
		if got := a.header.Get("Clear-Site-Data"); got != want || a.status != http.StatusOK || a.body != "" {
			t.Errorf("asked by a page %s: %v", site, a)
		}
	}
}
