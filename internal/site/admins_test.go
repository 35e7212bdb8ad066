package site_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/site/sitetest"
)

// TestAdminsOnly: only an admin of the installation gets the pages about it, independent of the role in a tenant. Others get the answer of
// an address without a route, and no link. There is no API.
func TestAdminsOnly(t *testing.T) {
	b := setup(t)
	b.Exec(`
		INSERT INTO river.river_job (id, kind, args, max_attempts, attempt, state, errors, finalized_at)
		VALUES (7, 'nightly', '{}', 3, 3, 'discarded', ARRAY['{"error": "it broke"}']::jsonb[], now())`)
	text := func(a sitetest.Answer) string {
		before, _, _ := strings.Cut(b.Page(a).Text(), "quote this request ID")
		return before
	}
	clients := map[string]*sitetest.Client{
		"an owner": b.Person(b.Replica, b.Acme), "a member": b.Person(b.Replica, b.Member(b.Acme)),
		"a read-only user": b.Person(b.Replica, b.ReadOnly(b.Acme)),
	}
	admin, tried := b.InstallationAdmin(b.Replica, b.Acme), 0
	form := url.Values{"attempt": {"3"}, "tenant": {b.Acme.ID.String()}, "tenant_name": {b.Acme.Name}}
	for _, route := range b.Routes {
		assert.Thatf(t, !strings.HasPrefix(route.Path, "/api/v1/installation"), "programs can use %s %s", route.Method, route.Path)
		if !strings.HasPrefix(route.Path, "/installation") {
			continue
		}
		tried++
		path := strings.ReplaceAll(route.Path, "{id}", "7")
		send := func(c *sitetest.Client, path string) sitetest.Answer {
			if route.Method == http.MethodGet {
				return c.Get(path)
			}
			return c.Submit(path, form)
		}
		before := b.Everything() + sitetest.Get[string](b, `SELECT state::text FROM river.river_job`)
		for who, c := range clients {
			a, missing := send(c, path), c.Get("/no-such-page")
			assert.Thatf(t, a.Status == http.StatusNotFound && text(a) == text(missing) &&
				a.Header.Get("Cache-Control") == missing.Header.Get("Cache-Control"), "%s: %s %s: %v", who, route.Method, path, a)
		}
		if a := send(b.Browser(b.Replica), path); a.Status != http.StatusSeeOther && a.Status != http.StatusUnauthorized {
			t.Errorf("a stranger: %s %s: %v", route.Method, path, a)
		}
		after := b.Everything() + sitetest.Get[string](b, `SELECT state::text FROM river.river_job`)
		sitetest.WantUnchanged(b, route.Method+" "+path, before, after)
		want := http.StatusOK
		if route.Method == http.MethodPost {
			want = http.StatusSeeOther
		}
		if a := send(admin, path); a.Status != want || a.Header.Get("Cache-Control") != "private, no-store" {
			t.Errorf("an admin: %s %s: %v", route.Method, path, a)
		}
	}
	assert.Thatf(t, tried >= 4, "only %d routes", tried)
	clients["an admin"] = admin
	for who, c := range clients {
		links := strings.Contains(c.Get("/customers").Body, `href="/installation"`)
		assert.Thatf(t, links == (who == "an admin"), "%s is led to the installation: %v", who, links)
	}
	b.Exec(`UPDATE users SET password_hash = password_hash || ' ' WHERE role = 'read-only'`)
	if a := admin.Get("/installation"); a.Status == http.StatusOK {
		t.Errorf("with another password: %v", a)
	}
}
