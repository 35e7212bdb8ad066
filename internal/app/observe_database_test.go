package app_test

import (
	"strings"
	"testing"
	"time"

	"onlyonce/internal/app"
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
		if !strings.Contains(metrics, "\n"+line+"\n") {
			t.Errorf("no %s in\n%s", line, metrics)
		}
	}
	if age := b.value(b.Metrics, "onlyonce_jobs_oldest_available_seconds"); age < 3600 || age > 4000 {
		t.Errorf("the oldest job has waited %v s", age)
	}
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
