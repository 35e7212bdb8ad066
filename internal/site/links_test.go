package site_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/value/secretkey"
)

// Links to choose a password: for invited users, and for users who have forgotten theirs.

// TestInvitation: an invited member logs in by the link, also if it is sent twice, and not by an expired one.
func TestInvitation(t *testing.T) {
	b := setup(t)
	owner := b.person(b.replica, b.acme)
	made := owner.submit("/people", change(users().command, "idempotency_key", key))
	shown := b.page(owner.get(made.location())).says("Person Ada Lovelace added.", "Invited, has not chosen a password yet")
	link := secretIn(shown.secretOn())
	if again := b.page(b.person(b.serve(), b.acme).get(made.location())); secretIn(again.secretOn()) != link {
		t.Error("another session of the owner, at another replica, sees another link")
	}
	keyless := b.serve(func(c *config) { c.people.Key, c.people.Forgot = secretkey.Key{}, nil })
	b.page(b.person(keyless, b.acme).get(made.location())).says("can't be shown again")
	if a := b.browser(b.replica).logIn(tenant{email: "ada@example.com"}, ""); a.status != http.StatusUnprocessableEntity {
		t.Errorf("in without a password: %v", a)
	}

	ada := b.browser(b.replica)
	p := b.page(ada.get("/join?link="+link)).says("Choose a password", "You will log in to Acme as ada@example.com.")
	form := change(p.typed(), "password", "short")
	b.page(ada.submit("/join", form)).says("Choose a password of at least 12 characters.")
	form.Set("password", "correct horse battery")
	for range 2 { // the second click gets the same answer
		if a := ada.submit("/join", form); a.status != http.StatusSeeOther || a.location() != "/" {
			t.Fatal(a)
		}
	}
	if !ada.isIn() || ada.get("/people").status != http.StatusForbidden {
		t.Error("Ada is not in as a member")
	}
	for what, a := range map[string]answer{
		"used":                        b.browser(b.replica).get("/join?link=" + link),
		"used, with another password": b.browser(b.replica).submit("/join", change(form, "password", "another long password")),
		"made up":                     b.browser(b.replica).get("/join?link=AAAA"),
		"none":                        b.browser(b.replica).get("/join"),
	} {
		if a.status != http.StatusNotFound {
			t.Errorf("%s: %v", what, a)
		}
		b.page(a).says("This link does not work")
	}
	if a := owner.get(made.location()); strings.Contains(a.body, link) {
		t.Error("a link that was used is shown")
	}
	if a := b.browser(b.replica).logIn(tenant{email: "ada@example.com"}, "correct horse battery"); a.status != http.StatusSeeOther {
		t.Errorf("the password was changed: %v", a)
	}
}

// TestUsedLinkIsThrottledAsALogin: a used link allows no more attempts at passwords than the login.
func TestUsedLinkIsThrottledAsALogin(t *testing.T) {
	pgtest.Long(t)
	b := setup(t)
	owner := b.person(b.replica, b.acme)
	invite := func(email string) (link string) {
		made := owner.submit("/people", change(users().command, "email", email, "idempotency_key", email))
		return secretIn(b.page(owner.get(made.location())).secretOn())
	}
	link, other := invite("ada@example.com"), invite("grace@example.com")
	join := func(link, password string) answer {
		return b.browser(b.replica).submit("/join", url.Values{"link": {link}, "password": {password}})
	}
	if a := join(link, password); a.status != http.StatusSeeOther { // the first of ten
		t.Fatal(a)
	}
	for range 4 {
		a := b.browser(b.replica).logIn(tenant{email: " ADA@example.com"}, "a wrong passphrase")
		if a.status != http.StatusUnprocessableEntity {
			t.Errorf("log in: %v", a)
		}
	}
	for range 5 {
		if a := join(link, "a wrong passphrase"); a.status != http.StatusNotFound {
			t.Errorf("join: %v", a)
		}
	}
	for way, a := range map[string]answer{
		"join": join(link, password), "log in": b.browser(b.replica).logIn(tenant{email: "ada@example.com"}, password),
	} {
		if a.status != http.StatusTooManyRequests || a.header.Get("Retry-After") == "" || strings.Contains(a.body, password) {
			t.Errorf("%s: %v", way, a)
		}
	}
	if a := join(other, password); a.status != http.StatusSeeOther {
		t.Errorf("another user cannot join: %v", a)
	}
}

// TestForgottenPassword: a new link ends nothing until it is used, and only the newest one works. A disabled user gets none.
func TestForgottenPassword(t *testing.T) {
	b := setup(t)
	owner, member := b.person(b.replica, b.acme), b.member(b.acme)
	person := b.person(b.replica, member)
	path := "/people/" + get[string](b, `SELECT id::text FROM users WHERE email = $1`, member.email)
	press := func(button string) page {
		t.Helper()
		if a := owner.pressAny(b.page(owner.get(path)), button); a.status != http.StatusSeeOther {
			t.Fatal(a)
		}
		return b.page(owner.get(path))
	}
	old := secretIn(press("New link").secretOn())
	press("Withdraw link")
	link := secretIn(press("New link").secretOn())
	if old == link || link == "" {
		t.Fatalf("%q, then %q", old, link)
	}
	if a := b.browser(b.replica).get("/join?link=" + old); a.status != http.StatusNotFound {
		t.Errorf("the withdrawn link: %v", a)
	}
	if !person.isIn() {
		t.Error("the link ended a session before it was used")
	}
	if a := b.browser(b.replica).logIn(member, password); a.status != http.StatusSeeOther {
		t.Errorf("the link ended the password before it was used: %v", a)
	}
	b.exec(`UPDATE users SET link_expires_at = now() - interval '1 second' WHERE link_id IS NOT NULL`)
	if a := b.browser(b.replica).get("/join?link=" + link); a.status != http.StatusNotFound {
		t.Errorf("an expired link: %v", a)
	}
	link = secretIn(press("New link").secretOn())
	chosen := url.Values{"link": {link}, "password": {"another passphrase"}}
	if a := b.browser(b.replica).submit("/join", chosen); a.status != http.StatusSeeOther {
		t.Fatal(a)
	}
	if person.isIn() {
		t.Error("a session has survived the new password")
	}
	again := b.browser(b.replica)
	if a := again.logIn(member, "another passphrase"); a.status != http.StatusSeeOther {
		t.Fatal(a)
	}
	link = secretIn(press("New link").secretOn())
	press("Disable")
	if a := b.browser(b.replica).get("/join?link=" + link); a.status != http.StatusNotFound {
		t.Errorf("the link of a disabled user: %v", a)
	}
	if a := again.get("/customers"); a.status != http.StatusSeeOther || !strings.HasPrefix(a.location(), "/login") {
		t.Errorf("a disabled user: %v", a)
	}
	press("Enable")
	if a := b.browser(b.replica).get("/join?link=" + link); a.status != http.StatusNotFound {
		t.Errorf("the link of a formerly disabled user: %v", a)
	}
}

// TestForgotTellsNothing: an email with an account gets the same answer after the same time as one without, and no answer shows
// whether a mail was sent. The requests are limited.
func TestForgotTellsNothing(t *testing.T) {
	pgtest.Long(t)
	b := setup(t)
	member := b.member(b.acme)
	ask := func(email string) (a answer, took time.Duration) {
		start := time.Now()
		a = b.browser(b.replica).submit("/forgot", url.Values{"email": {email}})
		return a, time.Since(start)
	}
	for _, email := range []string{member.email, "nobody@example.com", " " + strings.ToUpper(member.email)} {
		a, took := ask(email)
		same := a.status == http.StatusSeeOther && a.location() == "/forgot?asked" && !strings.Contains(a.body, "@")
		if !same || took < 500*time.Millisecond {
			t.Errorf("after %v: %v", took, a)
		}
	}
	stranger := b.browser(b.replica)
	b.page(stranger.get("/login")).leadsTo("/forgot")
	b.page(stranger.get("/forgot?asked")).says("If there is an account with this email, we've sent a link to it.")
	p := b.page(stranger.submit("/forgot", url.Values{"email": {"ada at example"}})).says("Enter an email address like name@example.com.")
	if typed := p.typed().Get("email"); typed != "ada at example" {
		t.Errorf("what was typed is %q now", typed)
	}
	b.wantRows(rows{"link_mails": 1})
	for range 3 {
		ask(member.email)
	}
	if a, _ := ask(member.email); a.status != http.StatusTooManyRequests || a.header.Get("Retry-After") == "" {
		t.Errorf("the sixth in a minute: %v", a)
	}
	silent := b.serve(func(c *config) { c.people.Forgot = nil })
	b.page(b.browser(silent).get("/forgot")).says("This app can't send you a link by email. Ask an owner of your business for one")
	b.page(b.browser(silent).submit("/forgot", url.Values{"email": {"nobody@example.com"}})).says("This app can't send you a link")
	b.wantRows(rows{"link_mails": 1})
}

// TestLinkIsMailedOrShown, depending on the button. The page of the user shows the status of the mail.
func TestLinkIsMailedOrShown(t *testing.T) {
	b := setup(t)
	owner := b.person(b.replica, b.acme)
	form := b.page(owner.get(owner.get("/people/new").location()))
	filled := change(form.typed(), "email", "ada@example.com", "role", "member", "send", "true")
	var path string
	for range 2 { // the second click of a double click
		path = owner.submit("/people", filled).location()
	}
	b.wantRows(rows{"users": 1, "intents": 1, "link_mails": 1})
	if button := form.text(); !strings.Contains(button, "Add and email a link") {
		t.Error("the form has no button that emails")
	}
	show := func() page { return b.page(owner.get(path)) }
	show().says("Waiting to be emailed to ada@example.com.")
	b.exec(`UPDATE link_mails SET attempts = 1, reason = 'The mail server couldn''t be reached.'`)
	show().says("Waiting to be emailed to ada@example.com again. The mail server couldn't be reached.")
	b.exec(`UPDATE link_mails SET state = 'failed', reason = 'The mail server refused it: 550 No such user.'`)
	show().says("Not delivered to ada@example.com. The mail server refused it: 550 No such user.")
	b.exec(`UPDATE link_mails SET state = 'sent', reason = '', sent_at = '2026-11-22 10:00Z'`)
	p := show().says("Emailed to ada@example.com on 22 Nov 2026, 10:00 UTC.")

	owner.pressAny(p, "Withdraw link")
	if a := owner.pressAny(show(), "New link"); a.location() != path {
		t.Fatal(a)
	}
	p = show().says("Not emailed.")
	owner.pressAny(p, "Withdraw link")
	if a := owner.pressAny(show(), "Email a new link"); a.location() != path {
		t.Fatal(a)
	}
	show().says("Waiting to be emailed to ada@example.com.")
	b.wantRows(rows{"users": 1, "intents": 5, "link_mails": 2})
	b.exec(`UPDATE link_mails SET asked_by = ''`)
	show().says("Someone asked for it on the login page, using this address.")

	silent := b.person(b.serve(func(c *config) { c.people.Forgot = nil }), b.acme)
	if p := b.page(silent.get(silent.get("/people/new").location())); strings.Contains(p.text(), "email a link") {
		t.Error("a mail is offered without a mail server")
	}
	made := silent.submit("/people", change(users().other, "send", "true", "idempotency_key", "other"))
	b.page(silent.get(made.location())).says("Not emailed: mail isn't set up.")
	b.wantRows(rows{"users": 2, "intents": 6, "link_mails": 2})
}
