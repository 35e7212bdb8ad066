package bench

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"onlyonce/internal/app"
	"onlyonce/internal/app/apptest"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/proof/proxy"
	"onlyonce/internal/value/secretkey"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// setup returns the app on a database with rows, in this process, and the proxy between them.
func setup(t *testing.T, rows, invoices int) (*site, *proxy.Proxy) {
	t.Helper()
	config, err := pgx.ParseConfig(apptest.Demo.New(t).URL)
	must.OK(t, err)
	db := database{config.Host, config.User, config.Database}
	must.OK(t, fill(t.Context(), db, rows))
	way, err := far(t.Context(), db)
	must.OK(t, err)
	t.Cleanup(way.Close)
	secret, err := secretkey.Parse(secretKey)
	must.OK(t, err)
	a, err := app.Start(t.Context(), app.Config{
		Addr: "127.0.0.1:0", MetricsAddr: "off", DatabaseURL: through(way, db), SecretKey: secret, Demo: true, Site: apptest.Site(),
		Wait: 5 * time.Second, ExpireEvery: time.Hour, Log: slog.New(slog.DiscardHandler),
	})
	must.OK(t, err)
	t.Cleanup(func() { _ = a.Close(context.Background()) })
	s, err := visitSite(t.Context(), a.URL(), db, invoices)
	must.OK(t, err)
	return s, way
}
