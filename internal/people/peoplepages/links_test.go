package peoplepages_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/internal/people/peoplecases"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/site/sitetest"
	"onlyonce/internal/value/secretkey"
)

// Links to choose a password: for invited users, and for users who have forgotten theirs.

// TestInvitation: an invited member logs in by the link, also if it is sent twice, and not by an expired one.
func TestInvitation(t *testing.T) {
	b := sitetest.Setup(t)
	owner := b.Person(b.Replica, b.Acme)
	made := owner.Submit("/people", sitetest.Change(peoplecases.Users().Command, "idempotency_key", sitetest.Key))
	shown := b.Page(owner.Get(made.Location())).Says("Person Ada Lovelace added.", "Invited, has not chosen a password yet")
	link := sitetest.SecretIn(shown.SecretOn())
	again := b.Page(b.Person(b.Serve(), b.Acme).Get(made.Location()))
	assert.Thatf(t, sitetest.SecretIn(again.SecretOn()) == link, "another session of the owner, at another replica, sees another link")
	keyless := b.Serve(func(c *sitetest.Config) { c.People.Key, c.People.Forgot = secretkey.Key{}, nil })
	b.Page(b.Person(keyless, b.Acme).Get(made.Location())).Says("can't be shown again")
	if a := b.Browser(b.Replica).LogIn(sitetest.Tenant{Email: "ada@example.com"}, ""); a.Status != http.StatusUnprocessableEntity {
		t.Errorf("in without a password: %v", a)
	}

	ada := b.Browser(b.Replica)
	p := b.Page(ada.Get("/join?link="+link)).Says("Choose a password", "You will log in to Acme as ada@example.com.")
	form := sitetest.Change(p.Typed(), "password", "short")
	b.Page(ada.Submit("/join", form)).Says("Choose a password of at least 12 characters.")
	form.Set("password", "correct horse battery")
	for range 2 { // the second click gets the same answer
		a := ada.Submit("/join", form)
		must.Thatf(t, a.Status == http.StatusSeeOther && a.Location() == "/", "%v", a)
	}
	assert.Thatf(t, isIn(ada) && ada.Get("/people").Status == http.StatusForbidden, "Ada is not in as a member")
	for what, a := range map[string]sitetest.Answer{
		"used":                        b.Browser(b.Replica).Get("/join?link=" + link),
		"used, with another password": b.Browser(b.Replica).Submit("/join", sitetest.Change(form, "password", "another long password")),
		"made up":                     b.Browser(b.Replica).Get("/join?link=AAAA"),
		"none":                        b.Browser(b.Replica).Get("/join"),
	} {
		a.Want(t, http.StatusNotFound, what)
		b.Page(a).Says("This link does not work")
	}
	if a := owner.Get(made.Location()); strings.Contains(a.Body, link) {
		t.Error("a link that was used is shown")
	}
	if a := b.Browser(b.Replica).LogIn(sitetest.Tenant{Email: "ada@example.com"},
		"correct horse battery"); a.Status != http.StatusSeeOther {
		t.Errorf("the password was changed: %v", a)
	}
}

// TestUsedLinkIsThrottledAsALogin: a used link allows no more attempts at passwords than the login.
func TestUsedLinkIsThrottledAsALogin(t *testing.T) {
	pgtest.Long(t)
	b := sitetest.Setup(t)
	owner := b.Person(b.Replica, b.Acme)
	invite := func(email string) (link string) {
		made := owner.Submit("/people", sitetest.Change(peoplecases.Users().Command, "email", email, "idempotency_key", email))
		return sitetest.SecretIn(b.Page(owner.Get(made.Location())).SecretOn())
	}
	link, other := invite("ada@example.com"), invite("grace@example.com")
	join := func(link, password string) sitetest.Answer {
		return b.Browser(b.Replica).Submit("/join", url.Values{"link": {link}, "password": {password}})
	}
	if a := join(link, sitetest.Password); a.Status != http.StatusSeeOther { // the first of ten
		t.Fatal(a)
	}
	for range 4 {
		a := b.Browser(b.Replica).LogIn(sitetest.Tenant{Email: " ADA@example.com"}, "a wrong passphrase")
		a.Want(t, http.StatusUnprocessableEntity, "log in")
	}
	for range 5 {
		join(link, "a wrong passphrase").Want(t, http.StatusNotFound, "join")
	}
	for way, a := range map[string]sitetest.Answer{
		"join": join(link, sitetest.Password), "log in": b.Browser(b.Replica).LogIn(sitetest.Tenant{Email: "ada@example.com"},
			sitetest.Password),
	} {
		if a.Status != http.StatusTooManyRequests || a.Header.Get("Retry-After") == "" || strings.Contains(a.Body, sitetest.Password) {
			t.Errorf("%s: %v", way, a)
		}
	}
	join(other, sitetest.Password).Want(t, http.StatusSeeOther, "another user cannot join")
}

// TestForgottenPassword: a new link ends nothing until it is used, and only the newest one works. A disabled user gets none.
func TestForgottenPassword(t *testing.T) {
	b := sitetest.Setup(t)
	owner, member := b.Person(b.Replica, b.Acme), b.Member(b.Acme)
	person := b.Person(b.Replica, member)
	path := "/people/" + sitetest.Get[string](b, `SELECT id::text FROM users WHERE email = $1`, member.Email)
	press := func(button string) sitetest.Page {
		t.Helper()
		owner.PressAny(b.Page(owner.Get(path)), button).Want(t, http.StatusSeeOther)
		return b.Page(owner.Get(path))
	}
	old := sitetest.SecretIn(press("New link").SecretOn())
	press("Withdraw link")
	link := sitetest.SecretIn(press("New link").SecretOn())
	must.Thatf(t, old != link && link != "", "%q, then %q", old, link)
	b.Browser(b.Replica).Get("/join?link="+old).Want(t, http.StatusNotFound, "the withdrawn link")
	assert.Thatf(t, isIn(person), "the link ended a session before it was used")
	b.Browser(b.Replica).LogIn(member, sitetest.Password).Want(t, http.StatusSeeOther, "the link ended the password before it was used")
	b.Exec(`UPDATE users SET link_expires_at = now() - interval '1 second' WHERE link_id IS NOT NULL`)
	b.Browser(b.Replica).Get("/join?link="+link).Want(t, http.StatusNotFound, "an expired link")
	link = sitetest.SecretIn(press("New link").SecretOn())
	chosen := url.Values{"link": {link}, "password": {"another passphrase"}}
	b.Browser(b.Replica).Submit("/join", chosen).Want(t, http.StatusSeeOther)
	assert.Thatf(t, !isIn(person), "a session has survived the new password")
	again := b.Browser(b.Replica)
	again.LogIn(member, "another passphrase").Want(t, http.StatusSeeOther)
	link = sitetest.SecretIn(press("New link").SecretOn())
	press("Disable")
	b.Browser(b.Replica).Get("/join?link="+link).Want(t, http.StatusNotFound, "the link of a disabled user")
	a := again.Get("/customers")
	assert.Thatf(t, a.Status == http.StatusSeeOther && strings.HasPrefix(a.Location(), "/login"), "a disabled user: %v", a)
	press("Enable")
	b.Browser(b.Replica).Get("/join?link="+link).Want(t, http.StatusNotFound, "the link of a formerly disabled user")
}

// TestForgotTellsNothing: an email with an account gets the same answer after the same time as one without, and no answer shows
// whether a mail was sent. The requests are limited.
func TestForgotTellsNothing(t *testing.T) {
	pgtest.Long(t)
	b := sitetest.Setup(t)
	member := b.Member(b.Acme)
	ask := func(email string) (a sitetest.Answer, took time.Duration) {
		start := time.Now()
		a = b.Browser(b.Replica).Submit("/forgot", url.Values{"email": {email}})
		return a, time.Since(start)
	}
	for _, email := range []string{member.Email, "nobody@example.com", " " + strings.ToUpper(member.Email)} {
		a, took := ask(email)
		same := a.Status == http.StatusSeeOther && a.Location() == "/forgot?asked" && !strings.Contains(a.Body, "@")
		assert.Thatf(t, same && took >= 500*time.Millisecond, "after %v: %v", took, a)
	}
	stranger := b.Browser(b.Replica)
	b.Page(stranger.Get("/login")).LeadsTo("/forgot")
	b.Page(stranger.Get("/forgot?asked")).Says("If there is an account with this email, we've sent a link to it.")
	p := b.Page(stranger.Submit("/forgot", url.Values{"email": {"ada at example"}})).Says("Enter an email address like name@example.com.")
	assert.Equal(t, p.Typed().Get("email"), "ada at example", "what was typed")
	b.WantRows(sitetest.Rows{"link_mails": 1})
	for range 3 {
		ask(member.Email)
	}
	if a, _ := ask(member.Email); a.Status != http.StatusTooManyRequests || a.Header.Get("Retry-After") == "" {
		t.Errorf("the sixth in a minute: %v", a)
	}
	silent := b.Serve(func(c *sitetest.Config) { c.People.Forgot = nil })
	b.Page(b.Browser(silent).Get("/forgot")).Says("This app can't send you a link by email. Ask an owner of your business for one")
	b.Page(b.Browser(silent).Submit("/forgot", url.Values{"email": {"nobody@example.com"}})).Says("This app can't send you a link")
	b.WantRows(sitetest.Rows{"link_mails": 1})
}

// TestLinkIsMailedOrShown, depending on the button. The page of the user shows the status of the mail.
func TestLinkIsMailedOrShown(t *testing.T) {
	b := sitetest.Setup(t)
	owner := b.Person(b.Replica, b.Acme)
	form := b.Page(owner.Get(owner.Get("/people/new").Location()))
	filled := sitetest.Change(form.Typed(), "email", "ada@example.com", "role", "member", "send", "true")
	var path string
	for range 2 { // the second click of a double click
		path = owner.Submit("/people", filled).Location()
	}
	b.WantRows(sitetest.Rows{"users": 1, "intents": 1, "link_mails": 1})
	button := form.Text()
	assert.Thatf(t, strings.Contains(button, "Add and email a link"), "the form has no button that emails")
	show := func() sitetest.Page { return b.Page(owner.Get(path)) }
	show().Says("Waiting to be emailed to ada@example.com.")
	b.Exec(`UPDATE link_mails SET attempts = 1, reason = 'The mail server couldn''t be reached.'`)
	show().Says("Waiting to be emailed to ada@example.com again. The mail server couldn't be reached.")
	b.Exec(`UPDATE link_mails SET state = 'failed', reason = 'The mail server refused it: 550 No such user.'`)
	show().Says("Not delivered to ada@example.com. The mail server refused it: 550 No such user.")
	b.Exec(`UPDATE link_mails SET state = 'sent', reason = '', sent_at = '2026-11-22 10:00Z'`)
	p := show().Says("Emailed to ada@example.com on 22 Nov 2026, 10:00 UTC.")

	owner.PressAny(p, "Withdraw link")
	if a := owner.PressAny(show(), "New link"); a.Location() != path {
		t.Fatal(a)
	}
	p = show().Says("Not emailed.")
	owner.PressAny(p, "Withdraw link")
	if a := owner.PressAny(show(), "Email a new link"); a.Location() != path {
		t.Fatal(a)
	}
	show().Says("Waiting to be emailed to ada@example.com.")
	b.WantRows(sitetest.Rows{"users": 1, "intents": 5, "link_mails": 2})
	b.Exec(`UPDATE link_mails SET asked_by = ''`)
	show().Says("Someone asked for it on the login page, using this address.")

	silent := b.Person(b.Serve(func(c *sitetest.Config) { c.People.Forgot = nil }), b.Acme)
	if p := b.Page(silent.Get(silent.Get("/people/new").Location())); strings.Contains(p.Text(), "email a link") {
		t.Error("a mail is offered without a mail server")
	}
	made := silent.Submit("/people", sitetest.Change(peoplecases.Users().Other, "send", "true", "idempotency_key", "other"))
	b.Page(silent.Get(made.Location())).Says("Not emailed: mail isn't set up.")
	b.WantRows(sitetest.Rows{"users": 2, "intents": 6, "link_mails": 2})
}
