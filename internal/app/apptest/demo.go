// Package apptest starts the app for tests: in process, or as a program.
package apptest

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"onlyonce/internal/app"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
)

// Demo is a database filled by [Fill]. It is a package variable because TestMain and the tests can't share anything else.
var Demo = pgtest.Template{Fill: Fill}

// Fill starts the app on an empty database, and stops it when the demo data exists and its emails are sent: most of the work of
// a first start.
func Fill(ctx context.Context, db *pgtest.Database) error {
	a, err := app.Start(ctx, app.Config{
		Addr: "127.0.0.1:0", MetricsAddr: "off", DatabaseURL: db.URL, Demo: true, Site: Site(),
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

// The demo tenants.
const (
	Acme   = "0a3e0000-0000-4000-8000-00000000ac3e"
	Globex = "610be000-0000-4000-8000-0000000610be"
)

// Story returns the rows of queries that select the demo data as shown on pages, without ids and times of creation.
func (b *Bundle) Story(queries ...string) []string {
	b.Helper()
	rows, err := b.DB.Admin().Query(b.Context(), strings.Join(queries, " UNION ALL ")+" ORDER BY 1")
	must.OK(b, err)
	story, err := pgx.CollectRows(rows, pgx.RowTo[string])
	must.OK(b, err)
	return story
}

// Interruption is the point where a start is killed, by the key that each of two tenants does not get past.
type Interruption struct {
	AcmeKey, GlobexKey string
	Acme, Globex       int // records before that
}

// WantCompleted checks that interrupted starts leave the same data as an uninterrupted one.
func WantCompleted(t *testing.T, story []string, table string, interrupted []Interruption) {
	t.Helper()
	want := New(t).Story(story...)
	b := On(t, pgtest.New(t))
	b.DB.Spoil(t)
	for _, next := range interrupted {
		must.Exec(t, b.DB.Admin(), `ALTER TABLE intents ADD CONSTRAINT not_yet
			CHECK ((tenant_id, key) NOT IN (('`+Acme+`', '`+next.AcmeKey+`'), ('`+Globex+`', '`+next.GlobexKey+`')))`)
		if err := TryStart(t.Context(), b.Config()); err == nil {
			t.Fatalf("%s and %s cannot be done, and the start succeeded", next.AcmeKey, next.GlobexKey)
		}
		must.Exec(t, b.DB.Admin(), `ALTER TABLE intents DROP CONSTRAINT not_yet`)
		ofAcme := b.Number(`SELECT count(*) FROM ` + table + ` WHERE tenant_id = '` + Acme + `'`)
		ofGlobex := b.Number(`SELECT count(*) FROM ` + table + ` WHERE tenant_id = '` + Globex + `'`)
		if ofAcme != next.Acme || ofGlobex != next.Globex {
			t.Fatalf("%d and %d records before %+v", ofAcme, ofGlobex, next)
		}
	}
	must.OK(t, TryStart(t.Context(), b.Config()))
	if got := b.Story(story...); !slices.Equal(got, want) {
		t.Errorf("with interruptions: %q\nat once: %q", got, want)
	}
}
