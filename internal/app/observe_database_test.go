package app_test

import (
	"strings"
	"testing"
	"time"

	"onlyonce/internal/app"
	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/proof/proxy"
)

// TestDatabaseIsWatched: jobs are counted by kind and state, with the age of the oldest, and pools show their connections. When
// the database does not answer, only the pools have metrics.
func TestDatabaseIsWatched(t *testing.T) {
	pgtest.Long(t)
	var wire *proxy.Proxy
	started := time.Now()
	b := setup(t, func(c *app.Config) {
		wire = behindWire(t, c)
		c.ExpireEvery = 10 * time.Millisecond
	})
	must.Exec(t, b.DB.Admin(), `
		INSERT INTO river.river_job (kind, queue, args, max_attempts, state, scheduled_at, finalized_at)
		SELECT 'watched', 'nobody', '{}'::jsonb, 1, 'discarded'::river.river_job_state, now(), now() FROM generate_series(1, 3)
		UNION ALL SELECT 'watched', 'nobody', '{}', 1, 'available', now() - interval '1 hour', NULL`)
	_, metrics := b.Get(b.Metrics)
	for _, line := range []string{
		`onlyonce_database_up 1`, `onlyonce_database_primary 1`,
		`onlyonce_jobs{kind="watched",state="discarded"} 3`, `onlyonce_jobs{kind="watched",state="available"} 1`,
		`pgxpool_max_conns{pool="requests"} 16`, `pgxpool_max_conns{pool="jobs"} 3`,
	} {
		assert.Thatf(t, strings.Contains(metrics, "\n"+line+"\n"), "no %s in\n%s", line, metrics)
	}
	age := b.value(b.Metrics, "onlyonce_jobs_oldest_available_seconds")
	assert.Thatf(t, age >= 3600 && age <= 4000, "the oldest job has waited %v s", age)
	must.Until(b, "expiry keeps up", func() bool {
		return time.Since(started) > 2*time.Second && b.value(b.Metrics, "onlyonce_expiry_lag_seconds") < 1
	})

	wire.Close()
	if _, metrics = b.Get(b.Metrics); !strings.Contains(metrics, "\nonlyonce_database_up 0\n") ||
		!strings.Contains(metrics, `pgxpool_max_conns{pool="requests"}`) ||
		strings.Contains(metrics, "\nonlyonce_database_primary") || strings.Contains(metrics, "\nonlyonce_jobs") {
		t.Errorf("without a database:\n%s", metrics)
	}
	must.Until(b, "expiry lags behind", func() bool { return b.value(b.Metrics, "onlyonce_expiry_lag_seconds") > 2 })
}

// keeping keeps attempts as long as in production.
func keeping(c *app.Config) { c.KeepAttempts, c.Replica = 7*24*time.Hour, "app-1" }

// TestAttemptsAreWrittenAtTheEnd checks that attempts right before the end are kept, with the name of the replica.
func TestAttemptsAreWrittenAtTheEnd(t *testing.T) {
	b := setup(t, keeping)
	b.create(key, ada)
	b.create(key, ada)
	must.OK(t, b.Close(t.Context()))
	n := b.Number(`
		SELECT count(*) FROM attempts WHERE key = '` + key + `' AND outcome IN ('created', 'replayed') AND replica = 'app-1'`)
	assert.Thatf(t, n == 2, "%d attempts", n)
}

// TestNoAttemptsAreKept: with a retention of 0 none are written, and earlier ones are deleted.
func TestNoAttemptsAreKept(t *testing.T) {
	b := setup(t, keeping)
	b.create(key, ada)
	must.OK(t, b.Close(t.Context()))
	count := func() int { return b.Number(`SELECT count(*) FROM attempts`) }
	must.Thatf(t, count() == 1, "%d attempts", count())
	b.App = b.Start(func(c *app.Config) { c.ExpireEvery = 10 * time.Millisecond })
	must.Until(b, "deleted", func() bool { return count() == 0 })
	b.create("another", ada)
	must.OK(t, b.Close(t.Context()))
	n := count()
	assert.Thatf(t, n == 0, "%d attempts", n)
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
