package app_test

import (
	"testing"
	"time"

	"onlyonce/internal/app"
	"onlyonce/internal/must"
)

// keeping keeps attempts as long as in production.
func keeping(c *app.Config) { c.KeepAttempts, c.Replica = 7*24*time.Hour, "app-1" }

// TestAttemptsAreWrittenAtTheEnd checks that attempts right before the end are kept, with the name of the replica.
func TestAttemptsAreWrittenAtTheEnd(t *testing.T) {
	b := setup(t, keeping)
	b.create(key, ada)
	b.create(key, ada)
	must.OK(t, b.Close(t.Context()))
	if n := b.Number(`
		SELECT count(*) FROM attempts WHERE key = '` + key + `' AND outcome IN ('created', 'replayed') AND replica = 'app-1'`); n != 2 {
		t.Errorf("%d attempts", n)
	}
}

// TestNoAttemptsAreKept: with a retention of 0 none are written, and earlier ones are deleted.
func TestNoAttemptsAreKept(t *testing.T) {
	b := setup(t, keeping)
	b.create(key, ada)
	must.OK(t, b.Close(t.Context()))
	count := func() int { return b.Number(`SELECT count(*) FROM attempts`) }
	if count() != 1 {
		t.Fatalf("%d attempts", count())
	}
	b.App = b.Start(func(c *app.Config) { c.ExpireEvery = 10 * time.Millisecond })
	must.Until(b, "deleted", func() bool { return count() == 0 })
	b.create("another", ada)
	must.OK(t, b.Close(t.Context()))
	if n := count(); n != 0 {
		t.Errorf("%d attempts", n)
	}
}

// TestOldAttemptsGo: attempts beyond the retention are deleted, by any number of replicas, and no others.
func TestOldAttemptsGo(t *testing.T) {
	b := setup(t, keeping, func(c *app.Config) { c.ExpireEvery = 10 * time.Millisecond })
	b.Start(keeping, func(c *app.Config) { c.ExpireEvery = 10 * time.Millisecond })
	b.admin(`
		INSERT INTO attempts (tenant_id, id, at, duration, operation, outcome, actor, reason, replica)
		SELECT id, new_id(now() - age), now() - age, 1, 'test', 'failed', age::text, '', ''
		FROM tenants, unnest(ARRAY['1 day', '6 days 23 hours', '7 days 1 hour', '1 year']::interval[]) AS age`)
	must.Until(b, "deleted", func() bool {
		var left string
		err := b.DB.Admin().QueryRow(t.Context(), `SELECT string_agg(DISTINCT actor, ', ' ORDER BY actor) FROM attempts`).Scan(&left)
		return err == nil && left == "1 day, 6 days 23:00:00"
	})
}
