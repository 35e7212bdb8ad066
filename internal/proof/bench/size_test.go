package bench

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"onlyonce/internal/postgres"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/proof/must"
	resources "onlyonce/internal/site"
	"onlyonce/internal/value/secretkey"
	"onlyonce/internal/web"
)

func TestEveryTableGrows(t *testing.T) {
	t.Parallel()
	const rows = 50
	db, _ := setup(t, rows)
	for what, sql := range map[string]string{
		"archived customers":            `SELECT count(*) FROM customers WHERE archived_at IS NOT NULL`,
		"customers who are not":         `SELECT count(*) FROM customers WHERE archived_at IS NULL`,
		"drafts":                        `SELECT count(*) FROM invoices WHERE state = 'draft'`,
		"invoices paid in part":         `SELECT count(*) FROM invoices WHERE state = 'partially_paid'`,
		"void invoices":                 `SELECT count(*) FROM invoices WHERE state = 'void'`,
		"payments of one invoice":       `SELECT count(*) FROM payments GROUP BY invoice_id ORDER BY 1 DESC LIMIT 1`,
		"intents that changed a record": `SELECT count(*) FROM intents WHERE outcome = 'changed' AND changes IS NOT NULL`,
	} {
		if n, err := value[int](t.Context(), db.admin(), sql); err != nil || n < rows/5 {
			t.Errorf("%d %s of %d, %v: too few to matter", n, what, rows, err)
		}
	}
	must.OK(t, db.exec(t.Context(), `CREATE TABLE forgotten (tenant_id uuid NOT NULL, id uuid PRIMARY KEY)`))
	if err := grown(t.Context(), db, rows); err == nil || !strings.Contains(err.Error(), "table forgotten has 0 rows of 50") {
		t.Errorf("a table without rows: %v", err)
	}
	// Rows of somebody else are none of the tenant's.
	const others = `INSERT INTO forgotten SELECT gen_random_uuid(), gen_random_uuid() FROM generate_series(1, 100)`
	must.OK(t, db.admin().exec(t.Context(), others))
	if err := grown(t.Context(), db, rows); err == nil || !strings.Contains(err.Error(), "forgotten has 0 rows") {
		t.Errorf("a table with rows of other tenants: %v", err)
	}
}

// TestEveryRequestIsMeasured holds the kinds of requests against the routes of the program.
func TestEveryRequestIsMeasured(t *testing.T) {
	t.Parallel()
	db, _ := setup(t, 3) // with fewer, a pair of neighbours is none or twice there
	pool, err := postgres.Open(t.Context(), db.url())
	must.OK(t, err)
	defer pool.Close()
	server, err := web.New(web.Config{Pool: pool, Log: slog.New(slog.DiscardHandler), Mount: resources.Mount(0, secretkey.Key{}, false)})
	must.OK(t, err)
	left := map[string]string{
		"GET /":                  "goes to another page",
		"GET /static/*":          "asks for nothing",
		"GET /healthz":           "asks for nothing",
		"GET /readyz":            "asks for the schema only",
		"GET /login":             "asks for nothing",
		"POST /login":            "takes as long as hashing a password",
		"POST /logout":           "deletes one session by its key",
		"POST /account/sessions": "few people come here, seldom; TestPlans bounds what it reads",
		"GET /docs/api":          "asks for nothing",
		"GET /rules":             "asks for nothing",
		"GET /openapi.json":      "asks for nothing",
		"GET /logged-out.css":    "asks for nothing",
		"GET /problems":          "asks for nothing",
		"GET /problems/{slug}":   "asks for nothing",
		"GET /settings":          "one row, of which a tenant has no more",
		"GET /settings/edit":     "one row, of which a tenant has no more",
		"POST /settings/edit":    "one row, of which a tenant has no more",
		"GET /api/v1/settings":   "one row, of which a tenant has no more",
		"PUT /api/v1/settings":   "one row, of which a tenant has no more",
	}
	records := []string{"invoices/{id}", "customers/{id}", "credit-notes/{id}", "outbox/{id}", "settings"}
	for _, record := range records {
		for _, prefix := range []string{"/", "/api/v1/"} {
			left["GET "+prefix+record+"/events"] = "reads what the page of the record reads"
		}
	}
	for _, route := range []string{
		"GET /people", "POST /people", "GET /people/new", "GET /people/{id}", "GET /people/{id}/events", "GET /people/{id}/edit",
		"POST /people/{id}/edit", "POST /people/{id}/disable", "POST /people/{id}/enable", "POST /people/{id}/invite",
		"POST /people/{id}/uninvite", "GET /tokens", "POST /tokens", "GET /tokens/new", "GET /tokens/{id}", "GET /tokens/{id}/events",
		"POST /tokens/{id}/revoke", "GET /account", "GET /join", "GET /forgot", "GET /attempts",
	} {
		left[route] = "few people come here, seldom; TestPlans bounds what it reads"
	}
	left["POST /account"], left["POST /join"], left["POST /forgot"] = left["POST /login"], left["POST /login"], left["GET /forgot"]
	var measured, routes []string
	for _, k := range kinds() {
		measured = append(measured, k.route)
	}
	for _, r := range server.Routes {
		for _, seldom := range []string{
			"/webhooks", "/webhook-secrets", "/webhook-events", "/schedules", "/periods", "/merges", "/distinctions", "/duplicates",
			"/duplicate-invoices", "/invoice-distinctions", "/next-numbers",
		} {
			path, route := strings.TrimPrefix(r.Path, apiPrefix), r.Method+" "+r.Path
			if (path == seldom || strings.HasPrefix(path, seldom+"/")) && !slices.Contains(measured, route) {
				left[route] = "few people come here, seldom; TestPlans bounds what it reads"
			}
		}
	}
	for _, r := range server.Routes {
		route := r.Method + " " + r.Path
		for _, p := range plains() {
			if path := strings.TrimPrefix(r.Path, apiPrefix); path == p.path || strings.HasPrefix(path, p.path+"/") {
				left[route] = "the kit does what it does for customers; TestPlans bounds what it reads"
			}
		}
		routes = append(routes, route)
		if slices.Contains(measured, route) == (left[route] != "") {
			t.Errorf("%s: either a kind of request measures it (kinds.go), or it is said here why not", route)
		}
	}
	for _, k := range kinds() {
		if !slices.Contains(routes, k.route) {
			t.Errorf("%s: there is no route %s", k.name, k.route)
		}
	}
}

// TestEveryKindOfRequestIsAnswered runs the comparison at its smallest.
func TestEveryKindOfRequestIsAnswered(t *testing.T) {
	pgtest.Long(t)
	t.Parallel()
	p := pace{warm: 1, counted: 1, length: time.Minute}
	var sites []*site
	for _, rows := range []int{60, 30} {
		db, origin := setup(t, rows)
		s, err := newSite(t.Context(), origin, db)
		must.OK(t, err)
		must.OK(t, s.learn(t.Context(), p.warm+p.counted))
		s.another = func(ctx context.Context) (string, func(), error) { return startApp(ctx, db.url()) }
		sites = append(sites, s)
	}
	for _, k := range kinds() {
		here, there, err := compare(t.Context(), k, sites[0], sites[1], 2, p)
		if err != nil {
			t.Error(err)
			continue
		}
		if len(here.p99) != 2 || len(there.p50) != 2 || slices.Min(here.p50) <= 0 || slices.Min(there.p50) <= 0 {
			t.Errorf("%s: %v and %v, want two rounds of each", k.name, here, there)
		}
	}
}

func TestPercentiles(t *testing.T) {
	t.Parallel()
	var hundred []float64
	for n := range 100 {
		hundred = append(hundred, float64(100-n))
	}
	for want, part := range map[float64]float64{50: 0.5, 99: 0.99, 100: 1, 1: 0.001} {
		if got := percentile(hundred, part); got != want {
			t.Errorf("percentile %v: %v, want %v", part, got, want)
		}
	}
	if got := percentile([]float64{7}, 0.99); got != 7 {
		t.Errorf("of one value: %v", got)
	}
}
