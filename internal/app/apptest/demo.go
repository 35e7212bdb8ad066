// Package apptest provides tests with a database on which an app has already run.
package apptest

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"onlyonce/internal/app"
	"onlyonce/internal/postgres/pgtest"
)

// Demo is a database filled by [Fill]. It is a package variable because TestMain and the tests can't share anything else.
var Demo = pgtest.Template{Fill: Fill}

// Fill starts the app on an empty database, and stops it when the demo data exists and its emails are sent: most of the work of
// a first start.
func Fill(ctx context.Context, db *pgtest.Database) error {
	a, err := app.Start(ctx, app.Config{
		Addr: "127.0.0.1:0", MetricsAddr: "off", DatabaseURL: db.URL, Demo: true,
		Wait: 10 * time.Second, ExpireEvery: time.Minute, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return err
	}
	patience, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for left := true; left && err == nil; <-tick.C {
		err = db.Pool.QueryRow(patience, `SELECT EXISTS (SELECT FROM river.river_job WHERE finalized_at IS NULL)`).Scan(&left)
	}
	return errors.Join(err, a.Close(ctx))
}
