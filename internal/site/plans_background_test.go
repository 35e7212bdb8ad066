package site_test

import (
	"maps"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/postgres"
	"testing"
)

// background is the background work of the app.
func background(p *plans) {
	p.Helper()
	p.during("readiness", func() {
		if err := postgres.SchemaCurrent(p.Context(), p.pool); err != nil {
			p.Error(err)
		}
	})
	p.during("expiry", func() {
		p.exec(`UPDATE intents SET expires_at = now() - interval '1 day' WHERE key LIKE 'past 1%'`)
		if _, err := idempotency.Expire(p.Context(), p.pool, p.acme.id); err != nil {
			p.Error(err)
		}
	})
}

// sitePlan are the plans of the app's own routes.
func sitePlan() plan {
	return plan{room: "internal/web/", background: background, requests: func(b *bundle, program, person *client) map[string][]request {
		none := []request{{"nothing", 0, func() answer { return answer{} }}}
		routes := map[string][]request{
			"GET /": none, "GET /static/*": none, "GET /healthz": none, "GET /readyz": none,
			"GET /docs/api": gets(person, "/docs/api"), "GET /openapi.json": gets(person, "/openapi.json"),
			"GET /problems":        gets(person, "/problems"),
			"GET /rules":           gets(person, "/rules"),
			"GET /problems/{slug}": gets(person, "/problems/invalid"),
		}
		maps.Copy(routes, b.everySignIn(person))
		return routes
	}}
}

func TestPlans(t *testing.T) {
	plansOf(t, sitePlan(), resources(), growAll)
}

func growAll(b *bundle) {
	b.growInvoices()
	b.growMerges()
}
