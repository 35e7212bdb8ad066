package peoplepages_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/internal/people/account"
	"onlyonce/internal/site/sitetest"
	"onlyonce/templates"
)

const (
	firefoxOnLinux = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"
	safariOnPhone  = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile/15E148 Safari/604.1"
)

// in logs in with a browser, and returns it.
func in(b *sitetest.Bundle, t sitetest.Tenant, userAgent string) *sitetest.Client {
	b.Helper()
	c := b.Browser(b.Replica).With("User-Agent", userAgent)
	c.LogIn(t, sitetest.Password).Want(b, http.StatusSeeOther)
	return c
}

// sessions returns the text of each session in the page's list.
func sessions(c *sitetest.Client) (said []string) {
	c.B.Helper()
	for _, list := range sitetest.Elements(c.B.Page(c.Get("/account")).Root, "ul") {
		if class, _ := sitetest.Attr(list, "class"); strings.HasPrefix(class, "sessions") {
			for _, item := range sitetest.Elements(list, "li") {
				said = append(said, sitetest.Text(item))
			}
		}
	}
	return said
}

// TestSessionsAreSeenAndEnded: the page lists the user's own sessions. Ending one is final, and can be repeated.
func TestSessionsAreSeenAndEnded(t *testing.T) {
	b := sitetest.Setup(t)
	who := b.ReadOnly(b.Acme) // read-only users may do this too
	other, phone, laptop := in(b, b.Acme, "curl/8"), in(b, who, safariOnPhone), in(b, who, firefoxOnLinux)
	said := sessions(laptop)
	must.Thatf(t, len(said) == 2 && strings.HasPrefix(said[0], "Firefox on Linux This browser Logged in ") &&
		strings.HasPrefix(said[1], "Safari on iPhone Logged in ") && !strings.Contains(said[0], "Log out there"), "%q", said)
	there := formOn(laptop, "/account", "Log out there")
	for range 2 {
		a := laptop.Submit("/account/sessions", there)
		must.Thatf(t, a.Status == http.StatusSeeOther && a.Location() == "/account", "%v", a)
		b.Page(laptop.Get("/account")).Says("That browser is logged out.")
	}
	assert.Thatf(t, !isIn(phone) && isIn(laptop) && len(sessions(laptop)) == 1,
		"the phone is in: %v, the laptop: %v, sessions %q", isIn(phone), isIn(laptop), sessions(laptop))
	assert.Thatf(t, !strings.Contains(laptop.Get("/account").Body, "Log out everywhere else"),
		"offers to log out other browsers, and there are none")
	stolen := formOn(laptop, "/account", "Change password")
	stolen.Set("session", sitetest.Get[string](b, `SELECT id::text FROM sessions WHERE device = 'curl/8'`))
	laptop.Submit("/account/sessions", stolen)
	assert.Thatf(t, isIn(other), "ended the session of another user")
	for _, session := range []string{"", "all"} {
		laptop.Submit("/account/sessions", sitetest.Change(stolen, "session", session)).Want(t, http.StatusNotFound, session)
	}
	elsewhere := sitetest.Change(there, "tenant", b.Globex.ID.String())
	laptop.Submit("/account/sessions", elsewhere).Want(t, http.StatusConflict, "the form of another business")
}

// TestAllOtherSessionsEnd, when the form is sent many times at once, except for this session and those of other users.
func TestAllOtherSessionsEnd(t *testing.T) {
	b := sitetest.Setup(t)
	who, others := b.Member(b.Acme), []*sitetest.Client{b.Person(b.Replica, b.Acme), b.Person(b.Replica, b.Globex)}
	laptop := in(b, who, firefoxOnLinux)
	for range 5 {
		in(b, who, safariOnPhone)
	}
	form := formOn(laptop, "/account", "Log out everywhere else")
	gate, done := make(chan struct{}), sync.WaitGroup{}
	for range 20 {
		done.Go(func() {
			<-gate
			laptop.Submit("/account/sessions", form).Want(t, http.StatusSeeOther)
		})
	}
	close(gate)
	done.Wait()
	b.Page(laptop.Get("/account")).Says("You are logged out everywhere else.")
	said := sessions(laptop)
	assert.Thatf(t, len(said) == 1 && strings.Contains(said[0], "This browser"), "%q", said)
	assert.Equal(t, sitetest.Get[int](b, `SELECT count(*) FROM sessions`), 3, "sessions are left")
	for _, c := range others {
		assert.Thatf(t, isIn(c), "another user was logged out")
	}
	// The form is still open in another tab, and another user has logged in since.
	second := b.Person(b.Replica, b.Acme)
	laptop.LogIn(b.Acme, sitetest.Password)
	if a := laptop.Submit("/account/sessions", form); a.Status != http.StatusSeeOther || !isIn(laptop) || !isIn(second) {
		t.Errorf("%v; this browser is in: %v, the other one: %v", a, isIn(laptop), isIn(second))
	}
}

// TestSessionsThatAreOverAreNotListed: expired sessions, and those before a change of the password. The list is limited to the
// newest.
func TestSessionsThatAreOverAreNotListed(t *testing.T) {
	b := sitetest.Setup(t)
	laptop := in(b, b.Acme, firefoxOnLinux)
	for range 3 {
		in(b, b.Acme, safariOnPhone)
	}
	b.Exec(`
		WITH phone AS (SELECT id, row_number() OVER (ORDER BY id) AS n FROM sessions WHERE device LIKE 'Safari%')
		UPDATE sessions s SET
			seen_at = CASE n WHEN 1 THEN now() - interval '13 hours' ELSE seen_at END,
			expiry = CASE n WHEN 2 THEN now() - interval '1 second' ELSE expiry END
		FROM phone WHERE phone.id = s.id`)
	if said := sessions(laptop); len(said) != 2 {
		t.Errorf("%q", said)
	}
	form := sitetest.Change(b.Page(laptop.Get("/account")).Typed(), "password", sitetest.Password, "new_password", "another passphrase")
	laptop.Submit("/account", form).Want(t, http.StatusSeeOther)
	if said := sessions(laptop); len(said) != 1 || !strings.Contains(said[0], "This browser") {
		t.Errorf("after another password: %q", said)
	}
	b.Exec(`
		INSERT INTO sessions (tenant_id, id, user_id, generation, device, token, data, expiry)
		SELECT tenant_id, new_id(), user_id, generation, 'Phone', n, '', expiry FROM sessions, generate_series(1, 20) AS n
		WHERE device LIKE 'Firefox%'`)
	if said := sessions(laptop); len(said) != 20 {
		t.Errorf("%d sessions are listed", len(said))
	}
	b.Page(laptop.Get("/account")).Says("These are your 20 latest logins.")
}

// TestVisitorsOfTheDemoKeepTheirSessions: they share a login, see only the session of their browser, and can't end others.
func TestVisitorsOfTheDemoKeepTheirSessions(t *testing.T) {
	b := sitetest.Setup(t)
	demo := b.Serve(func(c *sitetest.Config) { c.People.Demo = []templates.DemoLogin{{Email: b.Globex.Email}} })
	b.Exec(`UPDATE tenants SET demo = true WHERE id = $1`, b.Globex.ID)
	one, other := b.Person(demo, b.Globex), b.Person(demo, b.Globex)
	b.Exec(`
		INSERT INTO sessions (tenant_id, id, user_id, generation, device, token, data, expiry)
		SELECT tenant_id, later, user_id, generation, device, n::text, data, expiry
		FROM (SELECT tenant_id, user_id, generation, device, data, expiry FROM sessions ORDER BY id LIMIT 1) AS theirs,
			generate_series(1, $1) AS n, LATERAL (SELECT new_id(now() + n * interval '1 minute')) AS newer (later)`, account.MaxSessions+1)
	said := sessions(one)
	assert.Thatf(t, len(said) == 1 && strings.Contains(said[0], "This browser"), "%q", said)
	mine := formOn(one, "/account", "Change password")
	for name, query := range map[string]string{"session": `LIMIT 1 OFFSET 1`, "but": `LIMIT 1`} {
		id := sitetest.Get[string](b, `SELECT id::text FROM sessions ORDER BY id `+query)
		one.Submit("/account/sessions", sitetest.Change(mine, name, id)).Want(t, http.StatusSeeOther)
		b.Page(one.Get("/account")).Says("you can't log out other browsers")
	}
	assert.Thatf(t, isIn(one) && isIn(other), "one is in: %v, the other: %v", isIn(one), isIn(other))
}
