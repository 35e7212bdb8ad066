package site_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"onlyonce/internal/people/account"
	"onlyonce/internal/value/secretkey"
	"onlyonce/templates"
)

// member is somebody of a tenant who is no owner, and has the password of all others.
func (b *bundle) member(of tenant) tenant {
	b.Helper()
	hash, err := passwordHash()
	if err != nil {
		b.Fatal(err)
	}
	of.email = "user-" + uuid.NewString() + "@example.com"
	b.exec(`INSERT INTO users (tenant_id, email, password_hash, role) VALUES ($1, $2, $3, 'member')`, of.id, of.email, hash)
	return of
}

// ownersPlaces are where what only people may do is listed, such as people and tokens, and where it is seen who tried what.
func ownersPlaces() []string {
	places := []string{"/attempts"}
	for _, of := range resources() {
		if of.people && of.parent == nil {
			places = append(places, of.path)
		}
	}
	return places
}

// isOwners reports whether only owners come to an address.
func isOwners(path string) bool {
	under := func(place string) bool { return path == place || strings.HasPrefix(path, place+"/") }
	return slices.ContainsFunc(ownersPlaces(), under) ||
		slices.ContainsFunc(resources(), func(of resource) bool { return of.people && under(of.path) })
}

// TestOwnersOnly: a member gets 403 and a plain page from every route about people, tokens, webhooks and attempts, and learns of
// none of them.
// The API has none, for any token.
func TestOwnersOnly(t *testing.T) {
	b := setup(t)
	ada := b.prepared(b.acme, "person", users(), users().command).ID
	sync := b.prepared(b.acme, "token", apiTokens(), apiTokens().command).ID
	member := b.person(b.replica, b.member(b.acme))
	before, tried := b.everything(), 0
	for _, route := range b.Routes {
		if strings.HasPrefix(route.Path, "/api/") {
			if isOwners(strings.TrimPrefix(route.Path, "/api/v1")) {
				t.Errorf("programs can use %s %s", route.Method, route.Path)
			}
			continue
		}
		if !isOwners(route.Path) {
			continue
		}
		for _, id := range []string{ada, sync, uuid.NewString()} {
			form := change(users().command, "idempotency_key", key, "version", "1").Encode()
			asked := member.with("Content-Type", "application/x-www-form-urlencoded")
			a := b.must(asked.send(t.Context(), route.Method, strings.ReplaceAll(route.Path, "{id}", id), form))
			if a.status != http.StatusForbidden {
				t.Errorf("%s %s: %v", route.Method, route.Path, a)
				continue
			}
			b.page(a).says("Only owners can open this page")
			if strings.Contains(a.body, "Ada Lovelace") || strings.Contains(a.body, "sync") {
				t.Errorf("tells %v", a)
			}
			tried++
		}
	}
	wantUnchanged(b, "a member", before, b.everything())
	if tried < 30 {
		t.Errorf("only %d requests", tried)
	}
	for who, c := range map[string]*client{"owner": b.person(b.replica, b.acme), "member": member} {
		links := c.get("/settings").body
		for _, place := range ownersPlaces() {
			if (who == "owner") != strings.Contains(links, `href="`+place+`"`) {
				t.Errorf("the settings lead an %s to %s: %v", who, place, who != "owner")
			}
		}
		if front := c.get("/customers").body; strings.Contains(front, `href="/people"`) {
			t.Errorf("the first row of the navigation leads a %s to people", who)
		}
	}
	b.exec(`UPDATE users SET role = 'owner' WHERE email LIKE 'user-%'`)
	if a := member.get("/people"); a.status != http.StatusOK {
		t.Errorf("who has become an owner: %v", a)
	}
}

// secretOn is the secret that a page shows, or "".
func (p page) secretOn() string {
	for _, n := range all(p.root, "div") {
		if class, _ := attr(n, "class"); class == "secret" {
			return text(all(n, "code")[0])
		}
	}
	return ""
}

// TestSecretOfADoubleClick: every repeat in one session shows the same secret, which works and is in no cache. Another
// session of the same owner is told that it was shown, and so is everybody an hour later.
func TestSecretOfADoubleClick(t *testing.T) {
	b := setup(t)
	owner, elsewhere := b.person(b.replica, b.acme), b.person(b.replica, b.acme)
	form := change(apiTokens().command, "idempotency_key", key)
	var shown []string
	for _, c := range []*client{owner, owner, owner.elsewhere(b.serve().url)} {
		a := c.submit("/tokens", form)
		p := c.get(a.location())
		shown = append(shown, b.page(p).secretOn())
		if cache := p.header.Get("Cache-Control"); !strings.Contains(cache, "no-store") {
			t.Errorf("Cache-Control %q", cache)
		}
	}
	if shown[0] == "" || shown[1] != shown[0] || shown[2] != shown[0] {
		t.Fatalf("%q", shown)
	}
	b.wantRows(rows{"api_tokens": 1, "intents": 1})
	program := b.stranger(b.replica).with("Authorization", "Bearer "+shown[0])
	if a := program.get("/api/v1/customers"); a.status != http.StatusOK {
		t.Errorf("the secret does not work: %v", a)
	}
	again := elsewhere.submit("/tokens", form)
	const was = "The secret was shown when the token was made, and cannot be shown again."
	p := b.page(elsewhere.get(again.location())).says("We ignored the duplicate submission", was)
	if p.secretOn() != "" {
		t.Error("another session sees the secret")
	}
	b.exec(`UPDATE api_tokens SET created_at = now() - interval '61 minutes' WHERE created_by <> ''`)
	b.page(owner.get(again.location())).says(was)
	b.expire(b.acme)
	late := owner.submit("/tokens", form)
	b.page(late).says("This form already created sync.").leadsTo(again.location())
}

// TestRevokedAtOnce: a token that was used just before is refused by the replica that revoked it.
func TestRevokedAtOnce(t *testing.T) {
	b := setup(t)
	owner := b.person(b.replica, b.acme)
	made := owner.submit("/tokens", change(apiTokens().command, "idempotency_key", key))
	p := b.page(owner.get(made.location()))
	program := b.stranger(b.replica).with("Authorization", "Bearer "+p.secretOn())
	if a := program.get("/api/v1/customers"); a.status != http.StatusOK {
		t.Fatal(a)
	}
	if a := owner.press(p, "Revoke"); a.status != http.StatusSeeOther {
		t.Fatal(a)
	}
	if a := program.get("/api/v1/customers"); a.status != http.StatusUnauthorized {
		t.Errorf("it still works: %v", a)
	}
	if p := b.page(owner.get(made.location())).says("Token sync revoked.", "Revoked on "); p.secretOn() != "" {
		t.Error("the secret of a revoked token is shown")
	}
}

// TestSecretsAreStoredNowhere: neither the secret of a token nor that of a link nor a password is in any table, nor in what
// is told of attempts, nor in an answer that a cache may keep.
func TestSecretsAreStoredNowhere(t *testing.T) {
	b := setup(t)
	owner := b.person(b.replica, b.acme)
	var secrets []string
	for path, form := range map[string]url.Values{"/tokens": apiTokens().command, "/people": users().command} {
		for _, k := range []string{key, key} {
			a := owner.submit(path, change(form, "idempotency_key", k))
			p := owner.get(a.location())
			secrets = append(secrets, secretIn(b.page(p).secretOn()))
			if cache := p.header.Get("Cache-Control"); !strings.Contains(cache, "no-store") {
				t.Errorf("%s: Cache-Control %q", path, cache)
			}
		}
	}
	guest := b.browser(b.replica)
	link := ""
	for _, secret := range secrets {
		if a := guest.get("/join?link=" + secret); a.status == http.StatusOK {
			link = secret
			if cache := a.header.Get("Cache-Control"); !strings.Contains(cache, "no-store") {
				t.Errorf("the link: Cache-Control %q", cache)
			}
		}
	}
	guest.submit("/join", url.Values{"link": {link}, "password": {"a secret passphrase"}})
	if !guest.isIn() {
		t.Error("the link does not work")
	}
	for _, secret := range append(secrets, "a secret passphrase") {
		if len(secret) < 10 {
			t.Fatalf("no secret: %q", secrets)
		}
		for _, table := range b.tables() {
			found := get[int](b, `SELECT count(*) FROM `+pgx.Identifier{table}.Sanitize()+` r WHERE strpos(r::text, $1) > 0`, secret)
			asBytes := get[int](b, `SELECT count(*) FROM `+pgx.Identifier{table}.Sanitize()+
				` r WHERE strpos(r::text, encode(convert_to($1, 'UTF8'), 'hex')) > 0`, secret)
			if found+asBytes > 0 {
				t.Errorf("%s has a secret", table)
			}
		}
		if told := fmt.Sprintf("%+v", b.attempts); strings.Contains(told, secret) {
			t.Errorf("told of attempts: %s", told)
		}
	}
}

// secretIn is the secret of a link, or of a token without its prefix.
func secretIn(shown string) string {
	if _, link, ok := strings.Cut(shown, "link="); ok {
		return link
	}
	return strings.TrimPrefix(shown, "oo_")
}

// TestInvitation: from the link to the login of a member, however often it is sent, and not with a link that is over.
func TestInvitation(t *testing.T) {
	b := setup(t)
	owner := b.person(b.replica, b.acme)
	made := owner.submit("/people", change(users().command, "idempotency_key", key))
	shown := b.page(owner.get(made.location())).says("Person Ada Lovelace added.", "Invited, has not chosen a password yet")
	link := secretIn(shown.secretOn())
	if again := b.page(b.person(b.serve(), b.acme).get(made.location())); secretIn(again.secretOn()) != link {
		t.Error("another session of the owner, at another replica, sees another link")
	}
	keyless := b.serve(func(c *config) { c.key, c.Forgot = secretkey.Key{}, nil })
	b.page(b.person(keyless, b.acme).get(made.location())).says("cannot be shown again")
	if a := b.browser(b.replica).logIn(tenant{email: "ada@example.com"}, ""); a.status != http.StatusUnprocessableEntity {
		t.Errorf("in without a password: %v", a)
	}

	ada := b.browser(b.replica)
	p := b.page(ada.get("/join?link="+link)).says("Choose a password", "You will log in to Acme as ada@example.com.")
	form := change(p.typed(), "password", "short")
	b.page(ada.submit("/join", form)).says("Choose a password of at least 12 characters.")
	form.Set("password", "correct horse battery")
	for range 2 { // the second click shows the same
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

// TestUsedLinkIsThrottledAsALogin: whoever has a link that was used may try no more passwords with it than without.
func TestUsedLinkIsThrottledAsALogin(t *testing.T) {
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
		t.Errorf("somebody else cannot join: %v", a)
	}
}

// TestForgottenPassword: a new link ends nothing until it is used, and only the newest one works. A disabled person has none.
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
		t.Errorf("the link of somebody disabled: %v", a)
	}
	if a := again.get("/customers"); a.status != http.StatusSeeOther || !strings.HasPrefix(a.location(), "/login") {
		t.Errorf("somebody disabled: %v", a)
	}
	press("Enable")
	if a := b.browser(b.replica).get("/join?link=" + link); a.status != http.StatusNotFound {
		t.Errorf("the link of somebody who was disabled: %v", a)
	}
}

// TestEmailsAreNotProbed: who else has an account here is told ten times an hour, and then nothing is saved.
func TestEmailsAreNotProbed(t *testing.T) {
	b := setup(t)
	owner := b.person(b.replica, b.acme)
	add := func(c *client, email string, n int) answer {
		return c.submit("/people", change(users().command, "email", email, "idempotency_key", fmt.Sprint(email, n)))
	}
	for n := range 10 {
		a := add(owner, b.globex.email, n)
		if a.status != http.StatusConflict || strings.Contains(a.body, "Globex") {
			t.Fatal(a)
		}
		b.page(a).says("This email address cannot be used.")
	}
	for _, email := range []string{b.globex.email, "new@example.com"} {
		if a := add(owner, email, 10); a.status != http.StatusTooManyRequests {
			t.Errorf("%s: %v", email, a)
		}
	}
	if a := add(b.person(b.replica, b.globex), "new@example.com", 0); a.status != http.StatusSeeOther {
		t.Errorf("another business has to wait too: %v", a)
	}
}

// TestOwnPassword: other sessions end, this one stays, and a repeat is a success.
func TestOwnPassword(t *testing.T) {
	b := setup(t)
	person, other := b.person(b.replica, b.acme), b.person(b.replica, b.acme)
	form := b.page(person.get("/account")).says(b.acme.email, "Acme", "Owner").typed()
	send := func(current, wanted string) answer {
		return person.submit("/account", change(form, "password", current, "new_password", wanted))
	}
	b.page(send("wrong", "another passphrase")).says("This is not your current password.")
	b.page(send(password, "short")).says("Choose a password of at least 12 characters.")
	if !other.isIn() {
		t.Error("a refused change has ended a session")
	}
	for range 2 {
		if a := send(password, "another passphrase"); a.status != http.StatusSeeOther || a.location() != "/account" {
			t.Fatal(a)
		}
		b.page(person.get("/account")).says("Your password was changed. You are logged out everywhere else.")
	}
	if !person.isIn() || other.isIn() {
		t.Errorf("this session is in: %v, another one: %v", person.isIn(), other.isIn())
	}
	if a := b.browser(b.replica).logIn(b.acme, password); a.status != http.StatusUnprocessableEntity {
		t.Errorf("the old password: %v", a)
	}
	for range 10 {
		send("guess", "another passphrase too")
	}
	a := send("guess", "another passphrase too")
	if a.status != http.StatusTooManyRequests || strings.Contains(a.body, "another passphrase too") {
		t.Errorf("%v", a)
	}
	demo := b.serve(func(c *config) { c.Demo = []templates.DemoLogin{{Email: b.globex.email}} })
	b.exec(`UPDATE tenants SET demo = true WHERE id = $1`, b.globex.id)
	visitor := b.person(demo, b.globex)
	a = visitor.submit("/account", url.Values{"password": {password}, "new_password": {"another passphrase"}})
	b.page(a).says("The passwords of the demo stay as they are.")
	if _, err := account.LogIn(t.Context(), b.pool, b.globex.email, password); err != nil {
		t.Errorf("the demo's password was changed: %v", err)
	}
}

// TestForgotTellsNothing: who has an account gets the same answer after the same time as who has none, and no answer says whether a
// mail was sent. Nobody can ask without end.
func TestForgotTellsNothing(t *testing.T) {
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
	silent := b.serve(func(c *config) { c.Forgot = nil })
	b.page(b.browser(silent).get("/forgot")).says("This app can't send you a link by email. Ask an owner of your business for one")
	b.page(b.browser(silent).submit("/forgot", url.Values{"email": {"nobody@example.com"}})).says("This app can't send you a link")
	b.wantRows(rows{"link_mails": 1})
}

// TestLinkIsMailedOrShown as its button says, and the page of the person says what became of the mail.
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
	show().says("Somebody asked for it at the login page, with that address.")

	silent := b.person(b.serve(func(c *config) { c.Forgot = nil }), b.acme)
	if p := b.page(silent.get(silent.get("/people/new").location())); strings.Contains(p.text(), "email a link") {
		t.Error("a mail is offered without a mail server")
	}
	made := silent.submit("/people", change(users().other, "send", "true", "idempotency_key", "other"))
	b.page(silent.get(made.location())).says("Not emailed: mail isn't set up.")
	b.wantRows(rows{"users": 2, "intents": 6, "link_mails": 2})
}
