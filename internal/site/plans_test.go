package site_test

import (
	"testing"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/postgres"

	"onlyonce/internal/site/sitecases"
	"onlyonce/internal/site/sitetest"
)

// background is the background work of the app.
func background(p *sitetest.Planner) {
	p.Helper()
	p.During("readiness", func() {
		if err := postgres.SchemaCurrent(p.Context(), p.Pool); err != nil {
			p.Error(err)
		}
	})
	p.During("expiry", func() {
		p.Exec(`UPDATE intents SET expires_at = now() - interval '1 day' WHERE key LIKE 'past 1%'`)
		if _, err := idempotency.Expire(p.Context(), p.Pool, p.Acme.ID); err != nil {
			p.Error(err)
		}
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
				"GET /problems":        sitetest.Gets(person, "/problems"),
				"GET /rules":           sitetest.Gets(person, "/rules"),
				"GET /problems/{slug}": sitetest.Gets(person, "/problems/invalid"),
			}
		},
	}
}

func TestPlans(t *testing.T) {
	sitetest.Plans(t, sitePlan(), sitecases.Resources(), sitecases.Grow)
}
