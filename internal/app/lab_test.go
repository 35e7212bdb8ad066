package app

import (
	"context"
	"io"
	"log/slog"
	"testing"
	"time"

	"onlyonce/internal/people/account"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/proof/must"
)

// TestLabIsOfTheDemoOnly starts apps with and without the conditions of the lab.
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
			a, err := Start(t.Context(), Config{
				Addr: "127.0.0.1:0", MetricsAddr: "off", DatabaseURL: db.URL, Demo: c.demo,
				LabConfig: LabConfig{Lab: c.lab},
				Wait:      time.Second, ExpireEvery: time.Minute, Log: slog.New(slog.DiscardHandler), Banner: io.Discard,
			})
			must.OK(t, err)
			if has := len(a.pages) > 0; has != c.want {
				t.Errorf("has a lab: %v", has)
			}
			if err := a.Close(context.Background()); err != nil {
				t.Error(err)
			}
		})
	}
}
