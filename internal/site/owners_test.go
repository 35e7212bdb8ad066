package site_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"onlyonce/internal/assert"
	"onlyonce/internal/people/account"
	"onlyonce/internal/people/peoplecases"
	"onlyonce/internal/site/sitecases"
	"onlyonce/internal/site/sitetest"
)

// ownersPlaces returns the addresses of the places for owners: attempts, the file with all data, the resources without an API, such as
// people and tokens, and those whose API is for tokens that name it.
func ownersPlaces() []string {
	places := []string{"/attempts", "/settings/data.zip"}
	for _, of := range sitecases.Resources() {
		if (of.People || of.Owners) && of.Parent == nil && !of.Strangers {
			places = append(places, of.Path)
		}
	}
	return places
}

// isOwners reports whether an address is for owners only.
func isOwners(path string) bool {
	under := func(place string) bool { return path == place || strings.HasPrefix(path, place+"/") }
	return slices.ContainsFunc(ownersPlaces(), under) ||
		slices.ContainsFunc(sitecases.Resources(), func(of sitetest.Resource) bool {
			return of.People && !of.Strangers && (under(of.Path) || under(of.List()))
		})
}

// TestOwnersOnly: a member gets 403 and a page without details from every route about people, tokens, webhooks and attempts.
// The API has such routes only for tokens whose scope names them, and a token without a scope gets 403.
func TestOwnersOnly(t *testing.T) {
	b := setup(t)
	ada := b.Prepared(b.Acme, "person", peoplecases.Users(), peoplecases.Users().Command).ID
	sync := b.Prepared(b.Acme, "token", peoplecases.APITokens(), peoplecases.APITokens().Command).ID
	member := b.Person(b.Replica, b.Member(b.Acme))
	b.Exec(`INSERT INTO api_tokens (token_hash, tenant_id, name) VALUES ($1, $2, 'unlimited')`, account.HashToken("unlimited"), b.Acme.ID)
	unlimited := b.Acme
	unlimited.Token = "unlimited"
	program := b.Program(b.Replica, unlimited)
	before, tried, refused := b.Everything(), 0, 0
	for _, route := range b.Routes {
		if within, inAPI := strings.CutPrefix(route.Path, "/api/v1"); inAPI {
			if isOwners(within) {
				a := b.Must(program.Send(t.Context(), route.Method, strings.ReplaceAll(route.Path, "{id}", ada), `{}`))
				assert.Thatf(t, a.Status == http.StatusForbidden && strings.Contains(a.Body, "insufficient-scope"),
					"%s %s: %v", route.Method, route.Path, a)
				refused++
			}
			continue
		}
		if !isOwners(route.Path) {
			continue
		}
		for _, id := range []string{ada, sync, uuid.NewString()} {
			form := sitetest.Change(peoplecases.Users().Command, "idempotency_key", sitetest.Key, "version", "1").Encode()
			asked := member.With("Content-Type", "application/x-www-form-urlencoded")
			a := b.Must(asked.Send(t.Context(), route.Method, strings.ReplaceAll(route.Path, "{id}", id), form))
			if a.Status != http.StatusForbidden {
				t.Errorf("%s %s: %v", route.Method, route.Path, a)
				continue
			}
			b.Page(a).Says("Only owners can open this page")
			assert.Thatf(t, !strings.Contains(a.Body, "Ada Lovelace") && !strings.Contains(a.Body, "sync"), "leaks: %v", a)
			tried++
		}
	}
	sitetest.WantUnchanged(b, "a member", before, b.Everything())
	assert.Thatf(t, tried >= 30 && refused >= 10, "only %d requests, and %d of the API", tried, refused)
	for who, c := range map[string]*sitetest.Client{"owner": b.Person(b.Replica, b.Acme), "member": member} {
		front := c.Get("/customers").Body
		links := c.Get("/settings").Body + front
		for _, of := range sitecases.Resources() {
			if !of.People && of.Parent == nil {
				links += c.Get(of.Path).Body
			}
		}
		for _, place := range ownersPlaces() {
			assert.Thatf(t, (who == "owner") == strings.Contains(links, `href="`+place+`"`),
				"the settings or a list lead an %s to %s: %v", who, place, who != "owner")
		}
		assert.Thatf(t, !strings.Contains(front, `href="/people"`), "the first row of the navigation leads a %s to people", who)
	}
	b.Exec(`UPDATE users SET role = 'owner' WHERE email LIKE 'user-%'`)
	if a := member.Get("/people"); a.Status != http.StatusOK {
		t.Errorf("who has become an owner: %v", a)
	}
}
