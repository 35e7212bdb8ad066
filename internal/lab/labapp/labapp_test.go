package labapp_test

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"onlyonce/internal/app"
	"onlyonce/internal/app/apptest"
	"onlyonce/internal/assert"
	"onlyonce/internal/lab/labapp"
	"onlyonce/internal/must"
	"onlyonce/internal/people/account"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/web"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// TestLabIsOfTheDemoOnly starts apps with and without the conditions of the lab. With a lab, its page redirects to the login.
func TestLabIsOfTheDemoOnly(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		demo, lab, own, want bool
	}{
		"demo":                  {true, true, false, true},
		"demo without the lab":  {true, false, false, false},
		"no demo":               {false, true, false, false},
		"demo and own business": {true, true, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := pgtest.New(t)
			if c.own {
				tenant, _, err := account.CreateTenant(t.Context(), db.Pool, "Own")
				must.OK(t, err)
				must.Exec(t, db.Pool, `
					INSERT INTO users (tenant_id, email, password_hash, role) VALUES ($1, 'owner@example.com', 'x', 'owner')`, tenant.ID)
			}
			var banner strings.Builder
			config := app.Config{
				Addr: "127.0.0.1:0", MetricsAddr: "off", DatabaseURL: db.URL, Demo: c.demo, Site: apptest.Site(),
				Wait: time.Second, ExpireEvery: time.Minute, Log: slog.New(slog.DiscardHandler), Banner: &banner,
			}
			if c.lab {
				config.Site.Extras = []app.OpenExtra{labapp.Open("")}
			}
			a, err := app.Start(t.Context(), config)
			must.OK(t, err)
			defer func() { must.OK(t, a.Close(context.WithoutCancel(t.Context()))) }()
			client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
			response, err := client.Get(a.URL() + "/lab")
			must.OK(t, err)
			must.OK(t, response.Body.Close())
			want := http.StatusNotFound
			if c.want {
				want = http.StatusSeeOther
			}
			if response.StatusCode != want || strings.Contains(banner.String(), "Try to break it: "+a.URL()+"/lab\n") != c.want {
				t.Errorf("status %d, want %d; the banner is %s", response.StatusCode, want, banner.String())
			}
		})
	}
}

func TestRoutesOfTheLab(t *testing.T) {
	t.Parallel()
	of := func(extras ...app.OpenExtra) bool {
		all := apptest.Site()
		all.Extras = extras
		routes, err := all.Routes()
		must.OK(t, err)
		return slices.ContainsFunc(routes, func(r web.Route) bool { return r.Path == "/lab/{experiment}" })
	}
	assert.Thatf(t, !of() && of(labapp.Open("")), "not exactly the app with the lab has its routes")
}
