package peoplepages_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/internal/people/account"
	"onlyonce/templates"

	"github.com/jackc/pgx/v5"

	"onlyonce/internal/people/peoplecases"
	"onlyonce/internal/site/sitetest"
	"onlyonce/internal/web"
)

// TestSecretOfADoubleClick: every repeat in one session shows the same secret, which works and is in no cache. Another session
// of the same owner is informed that it was already shown. After an hour all sessions are.
func TestSecretOfADoubleClick(t *testing.T) {
	b := sitetest.Setup(t)
	owner, elsewhere := b.Person(b.Replica, b.Acme), b.Person(b.Replica, b.Acme)
	form := sitetest.Change(peoplecases.APITokens().Command, "idempotency_key", sitetest.Key)
	var shown []string
	for _, c := range []*sitetest.Client{owner, owner, owner.Elsewhere(b.Serve().URL)} {
		a := c.Submit("/tokens", form)
		p := c.Get(a.Location())
		shown = append(shown, b.Page(p).SecretOn())
		cache := p.Header.Get("Cache-Control")
		assert.Thatf(t, strings.Contains(cache, "no-store"), "Cache-Control %q", cache)
	}
	must.Thatf(t, shown[0] != "" && shown[1] == shown[0] && shown[2] == shown[0], "%q", shown)
	b.WantRows(sitetest.Rows{"api_tokens": 1, "intents": 1})
	program := b.Stranger(b.Replica).With("Authorization", "Bearer "+shown[0])
	program.Get("/api/v1/customers").Want(t, http.StatusOK, "the secret does not work")
	again := elsewhere.Submit("/tokens", form)
	const was = "The secret was shown when the token was created and can't be shown again."
	p := b.Page(elsewhere.Get(again.Location())).Says("We ignored the duplicate submission", was)
	assert.Thatf(t, p.SecretOn() == "", "another session sees the secret")
	b.Exec(`UPDATE api_tokens SET created_at = now() - interval '61 minutes' WHERE created_by <> ''`)
	b.Page(owner.Get(again.Location())).Says(was)
	b.Expire(b.Acme)
	late := owner.Submit("/tokens", form)
	b.Page(late).Says("This form already created sync.").LeadsTo(again.Location())
}

// TestRevokedAtOnce: a token that was used just before is refused by the replica that revoked it.
func TestRevokedAtOnce(t *testing.T) {
	b := sitetest.Setup(t)
	owner := b.Person(b.Replica, b.Acme)
	made := owner.Submit("/tokens", sitetest.Change(peoplecases.APITokens().Command, "idempotency_key", sitetest.Key))
	p := b.Page(owner.Get(made.Location()))
	program := b.Stranger(b.Replica).With("Authorization", "Bearer "+p.SecretOn())
	program.Get("/api/v1/customers").Want(t, http.StatusOK)
	owner.Press(p, "Revoke").Want(t, http.StatusSeeOther)
	program.Get("/api/v1/customers").Want(t, http.StatusUnauthorized, "it still works")
	if p := b.Page(owner.Get(made.Location())).Says("Token sync revoked.", "Revoked on "); p.SecretOn() != "" {
		t.Error("the secret of a revoked token is shown")
	}
}

// TestSecretsAreStoredNowhere: neither the secret of a token or link nor a password is in a table, in a reported attempt, or in
// a cacheable answer.
func TestSecretsAreStoredNowhere(t *testing.T) {
	b := sitetest.Setup(t)
	owner := b.Person(b.Replica, b.Acme)
	var secrets []string
	for path, form := range map[string]url.Values{"/tokens": peoplecases.APITokens().Command, "/people": peoplecases.Users().Command} {
		for _, k := range []string{sitetest.Key, sitetest.Key} {
			a := owner.Submit(path, sitetest.Change(form, "idempotency_key", k))
			p := owner.Get(a.Location())
			secrets = append(secrets, sitetest.SecretIn(b.Page(p).SecretOn()))
			cache := p.Header.Get("Cache-Control")
			assert.Thatf(t, strings.Contains(cache, "no-store"), "%s: Cache-Control %q", path, cache)
		}
	}
	guest := b.Browser(b.Replica)
	link := ""
	for _, secret := range secrets {
		if a := guest.Get("/join?link=" + secret); a.Status == http.StatusOK {
			link = secret
			cache := a.Header.Get("Cache-Control")
			assert.Thatf(t, strings.Contains(cache, "no-store"), "the link: Cache-Control %q", cache)
		}
	}
	guest.Submit("/join", url.Values{"link": {link}, "password": {"a secret passphrase"}})
	assert.Thatf(t, isIn(guest), "the link does not work")
	for _, secret := range append(secrets, "a secret passphrase") {
		must.Thatf(t, len(secret) >= 10, "no secret: %q", secrets)
		for _, table := range b.Tables() {
			found := sitetest.Get[int](b, `SELECT count(*) FROM `+pgx.Identifier{table}.Sanitize()+` r WHERE strpos(r::text, $1) > 0`,
				secret)
			asBytes := sitetest.Get[int](b, `SELECT count(*) FROM `+pgx.Identifier{table}.Sanitize()+
				` r WHERE strpos(r::text, encode(convert_to($1, 'UTF8'), 'hex')) > 0`, secret)
			assert.Thatf(t, found+asBytes == 0, "%s has a secret", table)
		}
		told := fmt.Sprintf("%+v", b.Attempts)
		assert.Thatf(t, !strings.Contains(told, secret), "told of attempts: %s", told)
	}
}

// TestEmailsAreNotProbed: after ten emails in an hour that have an account elsewhere, a tenant can't add users for a while.
func TestEmailsAreNotProbed(t *testing.T) {
	b := sitetest.Setup(t)
	owner := b.Person(b.Replica, b.Acme)
	add := func(c *sitetest.Client, email string, n int) sitetest.Answer {
		return c.Submit("/people", sitetest.Change(peoplecases.Users().Command, "email", email, "idempotency_key", fmt.Sprint(email, n)))
	}
	for n := range 10 {
		a := add(owner, b.Globex.Email, n)
		must.Thatf(t, a.Status == http.StatusConflict && !strings.Contains(a.Body, "Globex"), "%v", a)
		b.Page(a).Says("This email address can't be used.")
	}
	for _, email := range []string{b.Globex.Email, "new@example.com"} {
		add(owner, email, 10).Want(t, http.StatusTooManyRequests, email)
	}
	add(b.Person(b.Replica, b.Globex), "new@example.com", 0).Want(t, http.StatusSeeOther, "another business has to wait too")
}

// TestOwnPassword: other sessions end, this one stays, and a repeat succeeds.
func TestOwnPassword(t *testing.T) {
	b := sitetest.Setup(t)
	person, other := b.Person(b.Replica, b.Acme), b.Person(b.Replica, b.Acme)
	form := b.Page(person.Get("/account")).Says(b.Acme.Email, "Acme", "Owner").Typed()
	send := func(current, wanted string) sitetest.Answer {
		return person.Submit("/account", sitetest.Change(form, "password", current, "new_password", wanted))
	}
	b.Page(send("wrong", "another passphrase")).Says("This isn't your current password.")
	b.Page(send(sitetest.Password, "short")).Says("Choose a password of at least 12 characters.")
	assert.Thatf(t, isIn(other), "a refused change has ended a session")
	for range 2 {
		a := send(sitetest.Password, "another passphrase")
		must.Thatf(t, a.Status == http.StatusSeeOther && a.Location() == "/account", "%v", a)
		b.Page(person.Get("/account")).Says("Your password was changed. You are logged out everywhere else.")
	}
	assert.Thatf(t, isIn(person) && !isIn(other), "this session is in: %v, another one: %v", isIn(person), isIn(other))
	b.Browser(b.Replica).LogIn(b.Acme, sitetest.Password).Want(t, http.StatusUnprocessableEntity, "the old password")
	for range 10 {
		send("guess", "another passphrase too")
	}
	a := send("guess", "another passphrase too")
	assert.Thatf(t, a.Status == http.StatusTooManyRequests && !strings.Contains(a.Body, "another passphrase too"), "%v", a)
	demo := b.Serve(func(c *sitetest.Config) { c.People.Demo = []templates.DemoLogin{{Email: b.Globex.Email}} })
	b.Exec(`UPDATE tenants SET demo = true WHERE id = $1`, b.Globex.ID)
	visitor := b.Person(demo, b.Globex)
	a = visitor.Submit("/account", url.Values{"password": {sitetest.Password}, "new_password": {"another passphrase"}})
	b.Page(a).Says("The demo's passwords can't be changed.")
	_, err := account.LogIn(t.Context(), b.Pool, b.Globex.Email, sitetest.Password)
	assert.Thatf(t, err == nil, "the demo's password was changed: %v", err)
}

// TestRolesOfAccountsAreThoseOfTheWeb checks that both packages have the same roles in the same order.
func TestRolesOfAccountsAreThoseOfTheWeb(t *testing.T) {
	t.Parallel()
	for i, role := range account.Roles() {
		for j, needed := range []web.Role{web.ReadOnly, web.Member, web.Owner} {
			assert.Equal(t, web.Role(role).May(needed), i >= j, role, needed)
		}
	}
}
