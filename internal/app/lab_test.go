package app

import (
	"context"
	"io"
	"log/slog"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/people/account"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/proof/must"
)

// TestLabIsOfTheDemoOnly starts apps with and without what the lab needs.
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
				ownBusiness(t, db.Pool)
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

// ownBusiness makes a tenant with a user.
func ownBusiness(t *testing.T, pool *pgxpool.Pool) {
	t.Helper()
	tenant, _, err := account.CreateTenant(t.Context(), pool, "Own")
	must.OK(t, err)
	must.Exec(t, pool, `
		INSERT INTO users (tenant_id, email, password_hash, role) VALUES ($1, 'owner@example.com', 'x', 'owner')`, tenant.ID)
}
