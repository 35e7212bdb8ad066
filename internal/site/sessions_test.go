package site_test

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/html"

	"onlyonce/internal/people/account"
	"onlyonce/templates"
)

const (
	firefoxOnLinux = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"
	safariOnPhone  = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile/15E148 Safari/604.1"
)

// in logs in with a browser, and returns it.
func (b *bundle) in(t tenant, userAgent string) *client {
	b.Helper()
	c := b.browser(b.replica).with("User-Agent", userAgent)
	if a := c.logIn(t, password); a.status != http.StatusSeeOther {
		b.Fatal(a)
	}
	return c
}

// sessions returns the text of each session in the page's list.
func (c *client) sessions() (said []string) {
	c.b.Helper()
	for _, list := range all(c.b.page(c.get("/account")).root, "ul") {
		if class, _ := attr(list, "class"); strings.HasPrefix(class, "sessions") {
			for _, item := range all(list, "li") {
				said = append(said, text(item))
			}
		}
	}
	return said
}

// ending returns the form of the first button with a text, such as one that ends a session.
func (c *client) ending(button string) url.Values {
	c.b.Helper()
	for _, form := range all(c.b.page(c.get("/account")).root, "form") {
		if !hasButton(form, button) {
			continue
		}
		values := url.Values{}
		for _, hidden := range all(form, "input") {
			name, _ := attr(hidden, "name")
			value, _ := attr(hidden, "value")
			values.Add(name, value)
		}
		return values
	}
	c.b.Fatalf("no button %q", button)
	return nil
}

func hasButton(form *html.Node, says string) bool {
	for _, n := range all(form, "button") {
		if text(n) == says {
			return true
		}
	}
	return false
}

// TestSessionsAreSeenAndEnded: the page lists the user's own sessions. Ending one is final, and can be repeated.
func TestSessionsAreSeenAndEnded(t *testing.T) {
	b := setup(t)
	who := b.readOnly(b.acme) // read-only users may do this too
	other, phone, laptop := b.in(b.acme, "curl/8"), b.in(who, safariOnPhone), b.in(who, firefoxOnLinux)
	said := laptop.sessions()
	if len(said) != 2 || !strings.HasPrefix(said[0], "Firefox on Linux This browser Logged in ") ||
		!strings.HasPrefix(said[1], "Safari on iPhone Logged in ") || strings.Contains(said[0], "Log out there") {
		t.Fatalf("%q", said)
	}
	there := laptop.ending("Log out there")
	for range 2 {
		if a := laptop.submit("/account/sessions", there); a.status != http.StatusSeeOther || a.location() != "/account" {
			t.Fatal(a)
		}
		b.page(laptop.get("/account")).says("That browser is logged out.")
	}
	if phone.isIn() || !laptop.isIn() || len(laptop.sessions()) != 1 {
		t.Errorf("the phone is in: %v, the laptop: %v, sessions %q", phone.isIn(), laptop.isIn(), laptop.sessions())
	}
	if strings.Contains(laptop.get("/account").body, "Log out everywhere else") {
		t.Error("offers to log out other browsers, and there are none")
	}
	stolen := laptop.ending("Change password")
	stolen.Set("session", get[string](b, `SELECT id::text FROM sessions WHERE device = 'curl/8'`))
	laptop.submit("/account/sessions", stolen)
	if !other.isIn() {
		t.Error("ended the session of another user")
	}
	for _, session := range []string{"", "all"} {
		if a := laptop.submit("/account/sessions", change(stolen, "session", session)); a.status != http.StatusNotFound {
			t.Errorf("session %q: %v", session, a)
		}
	}
	elsewhere := change(there, "tenant", b.globex.id.String())
	if a := laptop.submit("/account/sessions", elsewhere); a.status != http.StatusConflict {
		t.Errorf("the form of another business: %v", a)
	}
}

// TestAllOtherSessionsEnd, when the form is sent many times at once, except for this session and those of other users.
func TestAllOtherSessionsEnd(t *testing.T) {
	b := setup(t)
	who, others := b.member(b.acme), []*client{b.person(b.replica, b.acme), b.person(b.replica, b.globex)}
	laptop := b.in(who, firefoxOnLinux)
	for range 5 {
		b.in(who, safariOnPhone)
	}
	form := laptop.ending("Log out everywhere else")
	gate, done := make(chan struct{}), sync.WaitGroup{}
	for range 20 {
		done.Go(func() {
			<-gate
			if a := laptop.submit("/account/sessions", form); a.status != http.StatusSeeOther {
				t.Error(a)
			}
		})
	}
	close(gate)
	done.Wait()
	b.page(laptop.get("/account")).says("You are logged out everywhere else.")
	if said := laptop.sessions(); len(said) != 1 || !strings.Contains(said[0], "This browser") {
		t.Errorf("%q", said)
	}
	if n := get[int](b, `SELECT count(*) FROM sessions`); n != 3 {
		t.Errorf("%d sessions are left", n)
	}
	for _, c := range others {
		if !c.isIn() {
			t.Error("another user was logged out")
		}
	}
	// The form is still open in another tab, and another user has logged in since.
	second := b.person(b.replica, b.acme)
	laptop.logIn(b.acme, password)
	if a := laptop.submit("/account/sessions", form); a.status != http.StatusSeeOther || !laptop.isIn() || !second.isIn() {
		t.Errorf("%v; this browser is in: %v, the other one: %v", a, laptop.isIn(), second.isIn())
	}
}

// TestSessionsThatAreOverAreNotListed: expired sessions, and those before a change of the password. The list is limited to the
// newest.
func TestSessionsThatAreOverAreNotListed(t *testing.T) {
	b := setup(t)
	laptop := b.in(b.acme, firefoxOnLinux)
	for range 3 {
		b.in(b.acme, safariOnPhone)
	}
	b.exec(`
		WITH phone AS (SELECT id, row_number() OVER (ORDER BY id) AS n FROM sessions WHERE device LIKE 'Safari%')
		UPDATE sessions s SET
			seen_at = CASE n WHEN 1 THEN now() - interval '13 hours' ELSE seen_at END,
			expiry = CASE n WHEN 2 THEN now() - interval '1 second' ELSE expiry END
		FROM phone WHERE phone.id = s.id`)
	if said := laptop.sessions(); len(said) != 2 {
		t.Errorf("%q", said)
	}
	form := change(b.page(laptop.get("/account")).typed(), "password", password, "new_password", "another passphrase")
	if a := laptop.submit("/account", form); a.status != http.StatusSeeOther {
		t.Fatal(a)
	}
	if said := laptop.sessions(); len(said) != 1 || !strings.Contains(said[0], "This browser") {
		t.Errorf("after another password: %q", said)
	}
	b.exec(`
		INSERT INTO sessions (tenant_id, id, user_id, generation, device, token, data, expiry)
		SELECT tenant_id, new_id(), user_id, generation, 'Phone', n, '', expiry FROM sessions, generate_series(1, 20) AS n
		WHERE device LIKE 'Firefox%'`)
	if said := laptop.sessions(); len(said) != 20 {
		t.Errorf("%d sessions are listed", len(said))
	}
	b.page(laptop.get("/account")).says("These are your 20 latest logins.")
}

// TestVisitorsOfTheDemoKeepTheirSessions: they share a login, see only the session of their browser, and can't end others.
func TestVisitorsOfTheDemoKeepTheirSessions(t *testing.T) {
	b := setup(t)
	demo := b.serve(func(c *config) { c.people.Demo = []templates.DemoLogin{{Email: b.globex.email}} })
	b.exec(`UPDATE tenants SET demo = true WHERE id = $1`, b.globex.id)
	one, other := b.person(demo, b.globex), b.person(demo, b.globex)
	b.exec(`
		INSERT INTO sessions (tenant_id, id, user_id, generation, device, token, data, expiry)
		SELECT tenant_id, later, user_id, generation, device, n::text, data, expiry
		FROM (SELECT tenant_id, user_id, generation, device, data, expiry FROM sessions ORDER BY id LIMIT 1) AS theirs,
			generate_series(1, $1) AS n, LATERAL (SELECT new_id(now() + n * interval '1 minute')) AS newer (later)`, account.MaxSessions+1)
	if said := one.sessions(); len(said) != 1 || !strings.Contains(said[0], "This browser") {
		t.Errorf("%q", said)
	}
	mine := one.ending("Change password")
	for name, query := range map[string]string{"session": `LIMIT 1 OFFSET 1`, "but": `LIMIT 1`} {
		id := get[string](b, `SELECT id::text FROM sessions ORDER BY id `+query)
		if a := one.submit("/account/sessions", change(mine, name, id)); a.status != http.StatusSeeOther {
			t.Error(a)
		}
		b.page(one.get("/account")).says("you can't log out other browsers")
	}
	if !one.isIn() || !other.isIn() {
		t.Errorf("one is in: %v, the other: %v", one.isIn(), other.isIn())
	}
}
