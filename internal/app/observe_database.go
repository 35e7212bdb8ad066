package app

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/IBM/pgxpoolprometheus"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"onlyonce/internal/postgres"
)

// poolObserver exports the statistics of a pool.
func poolObserver(name string, pool *pgxpool.Pool) prometheus.Collector {
	return pgxpoolprometheus.NewCollector(pool, prometheus.Labels{"pool": name})
}

// databaseObserver queries the database at each scrape, in one round trip. It has its own connection: the pool may be exhausted, which is
// when operators look.
type databaseObserver struct {
	pool *pgxpool.Pool
	log  *slog.Logger

	up, primary, lag, jobs, oldest *prometheus.Desc
}

// scrapePatience bounds the queries of a scrape. Prometheus waits 10 seconds by default.
const scrapePatience = 2 * time.Second

func (a *App) observeDatabase(ctx context.Context) error {
	pool, err := postgres.OpenSmall(ctx, a.url, 1)
	if err != nil {
		return err
	}
	a.stops = append(a.stops, func(ctx, _ context.Context) error {
		return a.inTime(ctx, "the database of the metrics", postgres.Close(ctx, pool))
	})
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc(name, help, labels, nil)
	}
	a.registry.MustRegister(poolObserver("requests", a.pool), &databaseObserver{
		pool: pool, log: a.config.Log,
		up:      desc("onlyonce_database_up", "1 if the database has answered this scrape, else 0."),
		primary: desc("onlyonce_database_primary", "1 if the database is a primary, 0 if it is a standby."),
		lag: desc("onlyonce_database_replication_lag_bytes",
			"What the slowest standby has not replayed yet; absent without a standby, and for a role without pg_monitor."),
		jobs: desc("onlyonce_jobs", "Background jobs that are not done, at most 10000 of each state.", "kind", "state"),
		oldest: desc("onlyonce_jobs_oldest_available_seconds",
			"How long the job that has waited longest could have been carried out; 0 without any."),
	})
	return nil
}

// Describe implements [prometheus.Collector].
func (o *databaseObserver) Describe(descs chan<- *prometheus.Desc) {
	for _, desc := range []*prometheus.Desc{o.up, o.primary, o.lag, o.jobs, o.oldest} {
		descs <- desc
	}
}

// Collect implements [prometheus.Collector].
func (o *databaseObserver) Collect(metrics chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), scrapePatience)
	defer cancel()
	show := func(desc *prometheus.Desc, value float64, labels ...string) {
		metrics <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, value, labels...)
	}
	primary, lag, jobs, err := o.ask(ctx)
	if err != nil {
		o.log.WarnContext(ctx, "the database does not answer for the metrics", "error", err)
		show(o.up, 0)
		return
	}
	show(o.up, 1)
	show(o.primary, primary)
	if lag != nil {
		show(o.lag, *lag)
	}
	var oldest float64
	for _, j := range jobs {
		show(o.jobs, j.Count, j.Kind, j.State)
		if j.State == "available" {
			oldest = max(oldest, j.Age)
		}
	}
	show(o.oldest, oldest)
}

// jobCount counts the jobs of a kind in a state.
type jobCount struct {
	Kind, State string
	Count, Age  float64 // since the first one was to begin, in seconds
}

// ask reads a bounded part of indexes only: a scrape is cheap even when jobs pile up. Jobs belong to no tenant.
func (o *databaseObserver) ask(ctx context.Context) (primary float64, lag *float64, jobs []jobCount, err error) {
	var batch pgx.Batch
	batch.Queue(`
		SELECT (NOT pg_is_in_recovery())::integer,
			max(pg_wal_lsn_diff(CASE WHEN NOT pg_is_in_recovery() THEN pg_current_wal_lsn() END, replay_lsn))
		FROM pg_stat_replication`).QueryRow(func(row pgx.Row) error { return row.Scan(&primary, &lag) })
	batch.Queue(`
		SELECT j.kind, s.state::text, count(*), greatest(0, extract(epoch FROM now() - min(j.scheduled_at)))
		FROM unnest(ARRAY['available', 'running', 'retryable', 'discarded']::river.river_job_state[]) AS s (state)
		CROSS JOIN LATERAL (
			SELECT kind, scheduled_at FROM river.river_job WHERE state = s.state ORDER BY queue, priority, scheduled_at LIMIT 10000
		) AS j
		GROUP BY j.kind, s.state`).Query(func(rows pgx.Rows) (err error) {
		jobs, err = pgx.CollectRows(rows, pgx.RowToStructByPos[jobCount])
		return err
	})
	if err := o.pool.SendBatch(ctx, &batch).Close(); err != nil {
		return 0, nil, nil, fmt.Errorf("ask the database: %w", err)
	}
	return primary, lag, jobs, nil
}
