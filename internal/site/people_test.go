package site_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"onlyonce/internal/people/account"
	"onlyonce/templates"
)

// member returns a member of a tenant, with the common password.
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

// ownersPlaces returns the addresses of the lists for owners: attempts, and the resources without an API, such as people and
// tokens.
func ownersPlaces() []string {
	places := []string{"/attempts"}
	for _, of := range resources() {
		if of.people && of.parent == nil {
			places = append(places, of.path)
		}
	}
	return places
}

// isOwners reports whether an address is for owners only.
func isOwners(path string) bool {
	under := func(place string) bool { return path == place || strings.HasPrefix(path, place+"/") }
	return slices.ContainsFunc(ownersPlaces(), under) ||
		slices.ContainsFunc(resources(), func(of resource) bool { return of.people && under(of.path) })
}

// TestOwnersOnly: a member gets 403 and a page without details from every route about people, tokens, webhooks and attempts.
// The API has no such routes, for any token.
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
				t.Errorf("leaks: %v", a)
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

// secretOn returns the secret that a page shows, or "".
func (p page) secretOn() string {
	for _, n := range all(p.root, "div") {
		if class, _ := attr(n, "class"); class == "secret" {
			return text(all(n, "code")[0])
		}
	}
	return ""
}

// TestSecretOfADoubleClick: every repeat in one session shows the same secret, which works and is in no cache. Another session
// of the same owner is informed that it was already shown. After an hour all sessions are.
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
	const was = "The secret was shown when the token was created and can't be shown again."
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

// TestSecretsAreStoredNowhere: neither the secret of a token or link nor a password is in a table, in a reported attempt, or in
// a cacheable answer.
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

// secretIn returns the secret of a link, or of a token without its prefix.
func secretIn(shown string) string {
	if _, link, ok := strings.Cut(shown, "link="); ok {
		return link
	}
	return strings.TrimPrefix(shown, "oo_")
}

// TestEmailsAreNotProbed: after ten emails in an hour that have an account elsewhere, a tenant can't add users for a while.
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
		b.page(a).says("This email address can't be used.")
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

// TestOwnPassword: other sessions end, this one stays, and a repeat succeeds.
func TestOwnPassword(t *testing.T) {
	b := setup(t)
	person, other := b.person(b.replica, b.acme), b.person(b.replica, b.acme)
	form := b.page(person.get("/account")).says(b.acme.email, "Acme", "Owner").typed()
	send := func(current, wanted string) answer {
		return person.submit("/account", change(form, "password", current, "new_password", wanted))
	}
	b.page(send("wrong", "another passphrase")).says("This isn't your current password.")
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
	demo := b.serve(func(c *config) { c.people.Demo = []templates.DemoLogin{{Email: b.globex.email}} })
	b.exec(`UPDATE tenants SET demo = true WHERE id = $1`, b.globex.id)
	visitor := b.person(demo, b.globex)
	a = visitor.submit("/account", url.Values{"password": {password}, "new_password": {"another passphrase"}})
	b.page(a).says("The demo's passwords can't be changed.")
	if _, err := account.LogIn(t.Context(), b.pool, b.globex.email, password); err != nil {
		t.Errorf("the demo's password was changed: %v", err)
	}
}
