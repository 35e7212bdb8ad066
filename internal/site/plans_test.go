package site_test

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres"
	"onlyonce/internal/site/sitecases"
	"onlyonce/internal/site/sitetest"
)

// background is the background work of the app.
func background(p *sitetest.Planner) {
	p.Helper()
	p.During("readiness", func() {
		err := postgres.SchemaCurrent(p.Context(), p.Pool)
		assert.Thatf(p, err == nil, "%v", err)
	})
	p.During("expiry", func() {
		p.Exec(`UPDATE intents SET expires_at = now() - interval '1 day' WHERE key LIKE 'past 1%'`)
		_, err := idempotency.Expire(p.Context(), p.Pool, p.Acme.ID)
		assert.Thatf(p, err == nil, "%v", err)
	})
}

// sitePlan are the plans of the app's own routes.
func sitePlan() sitetest.Plan {
	return sitetest.Plan{
		Room:       "internal/web/",
		Background: background,
		Requests: func(b *sitetest.Bundle, program, person *sitetest.Client) map[string][]sitetest.Request {
			none := []sitetest.Request{{What: "nothing", Want: 0, Send: func() sitetest.Answer { return sitetest.Answer{} }}}
			return map[string][]sitetest.Request{
				"GET /": none, "GET /static/*": none, "GET /healthz": none, "GET /readyz": none,
				"GET /docs/api": sitetest.Gets(person, "/docs/api"), "GET /openapi.json": sitetest.Gets(person, "/openapi.json"),
				"GET /docs/api/console":        sitetest.Gets(person, "/docs/api/console"),
				"GET /docs/api/console/{file}": sitetest.Gets(person, "/docs/api/console/console.js"),
				"GET /problems":                sitetest.Gets(person, "/problems"),
				"GET /rules":                   sitetest.Gets(person, "/rules"),
				"GET /problems/{slug}":         sitetest.Gets(person, "/problems/invalid"),
				"GET /settings/data.zip":       none, // it reads all rows of the tenant
			}
		},
	}
}

func TestPlans(t *testing.T) {
	sitetest.Plans(t, sitePlan(), sitecases.Resources(), sitecases.Grow)
}

// TestEveryRouteHasAPlan: the room that registers a route checks the plans of its requests.
func TestEveryRouteHasAPlan(t *testing.T) {
	b := setup(t)
	planned := map[string]bool{"internal/web/": true} // here
	for _, route := range b.Routes {
		room := strings.Join(strings.Split(route.Source, "/")[:2], "/") + "/"
		if _, asked := planned[room]; !asked {
			files, err := filepath.Glob("../../" + room + "*pages/*_test.go")
			planned[room] = err == nil && slices.ContainsFunc(files, func(file string) bool {
				return regexp.MustCompile(`Room: +"` + room + `"`).MatchString(must.Read(t, file))
			})
		}
		assert.Thatf(t, planned[room],
			"%s %s of %s: no test in the pages of %[3]s calls sitetest.Plans for it", route.Method, route.Path, room)
	}
}
