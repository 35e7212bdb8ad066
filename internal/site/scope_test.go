package site_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"onlyonce/internal/assert"
	"onlyonce/internal/people/peoplecases"
	"onlyonce/internal/site/sitetest"
)

// TestScope checks that a token gets 403 from each route of the API outside of its scope, and none within it.
func TestScope(t *testing.T) {
	b := setup(t)
	owner, who := b.Person(b.Replica, b.Acme), b.Acme
	form := sitetest.Change(peoplecases.APITokens().Command, "idempotency_key", sitetest.Key)
	form["scope"] = []string{"events", "customers"} // two boxes
	made := owner.Submit("/tokens", form)
	who.Token = b.Page(owner.Get(made.Location())).SecretOn()
	program := b.Program(b.Replica, who).With("Idempotency-Key", sitetest.Key).With("If-Match", `"1"`)
	before, refused := b.Everything(), 0
	for _, route := range b.Routes {
		within, inAPI := strings.CutPrefix(route.Path, "/api/v1/")
		if !inAPI || route.Public() {
			continue
		}
		a := b.Must(program.Send(t.Context(), route.Method, strings.ReplaceAll(route.Path, "{id}", uuid.NewString()), `{}`))
		if part, _, _ := strings.Cut(within, "/"); part == "customers" || part == "events" {
			assert.Thatf(t, a.Status != http.StatusForbidden, "%s %s: %v", route.Method, route.Path, a)
			continue
		}
		assert.Thatf(t, a.Status == http.StatusForbidden && strings.Contains(a.Body, `"type":"/problems/insufficient-scope"`),
			"%s %s: %v", route.Method, route.Path, a)
		refused++
	}
	sitetest.WantUnchanged(b, "out of scope", before, b.Everything())
	assert.Thatf(t, refused >= 15, "only %d routes are out of scope", refused)
}
