package bench

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"onlyonce/internal/app"
	"onlyonce/internal/app/apptest"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/proof/must"
	"onlyonce/internal/value/secretkey"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// demo is a database with the demo data.
func demo(t *testing.T) database {
	t.Helper()
	return as(t, apptest.Demo.New(t))
}

// as is a database of a test as the benchmark knows one.
func as(t *testing.T, db *pgtest.Database) database {
	t.Helper()
	config, err := pgx.ParseConfig(db.URL)
	must.OK(t, err)
	return database{config.Host, config.User, config.Database}
}

// setup returns a database with a past of a few rows, and the origin of the app on it, in this process.
func setup(t *testing.T, rows int) (db database, origin string) {
	t.Helper()
	db = demo(t)
	origin, stop, err := startApp(t.Context(), db.url())
	must.OK(t, err)
	t.Cleanup(stop)
	must.OK(t, fill(t.Context(), db, rows))
	return db, origin
}

func startApp(ctx context.Context, databaseURL string) (origin string, stop func(), err error) {
	secret, err := secretkey.Parse(secretKey)
	if err != nil {
		return "", nil, err
	}
	a, err := app.Start(ctx, app.Config{
		Addr: "127.0.0.1:0", MetricsAddr: "off", DatabaseURL: databaseURL, SecretKey: secret, Demo: true,
		Wait: 5 * time.Second, ExpireEvery: time.Hour, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return "", nil, err
	}
	return a.URL(), func() { _ = a.Close(context.WithoutCancel(ctx)) }, nil
}
