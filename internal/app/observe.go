package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"os"
	"syscall"
	"time"

	"github.com/IBM/pgxpoolprometheus"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/people/attempt"
	"onlyonce/internal/postgres"
	"onlyonce/internal/web"
)

// httpObserver reports each request: one duration, and one log line if ACCESS_LOG is set.
type httpObserver struct {
	log     *slog.Logger
	logs    bool // ACCESS_LOG
	seconds *prometheus.HistogramVec
}

func newHTTPObserver(c Config, registry *prometheus.Registry) *httpObserver {
	o := &httpObserver{
		log: c.Log, logs: c.AccessLog,
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "onlyonce_http_request_duration_seconds", Help: "Duration of a request until its answer was written.",
			Buckets: prometheus.ExponentialBuckets(0.001, 2.5, 12),
		}, []string{"route", "method", "status"}),
	}
	registry.MustRegister(o.seconds)
	return o
}

func (o *httpObserver) observe(ctx context.Context, a web.Answered) {
	nameTrace(ctx, a)
	class := fmt.Sprintf("%dxx", a.Status/100) // a label with each status would multiply the series
	o.seconds.WithLabelValues(a.Route, a.Method, class).Observe(a.Duration.Seconds())
	if !o.logs {
		return
	}
	attrs := append(make([]slog.Attr, 0, 8),
		slog.String("method", a.Method), slog.String("route", a.Route), slog.Int("status", a.Status),
		slog.Int("bytes", a.Bytes), slog.Duration("duration", a.Duration))
	if a.Tenant != uuid.Nil {
		attrs = append(attrs, slog.String("tenant", a.Tenant.String()))
	}
	if a.Outcome != "" {
		attrs = append(attrs, slog.String("outcome", string(a.Outcome)))
	}
	o.log.LogAttrs(ctx, slog.LevelInfo, "request", attrs...)
}

// serveMetrics listens on a separate address, by default of this machine only. It serves profiles too. If the address is in
// use, it logs a warning: the app must not fail because another program serves metrics.
func (a *App) serveMetrics(ctx context.Context, registry *prometheus.Registry) error {
	if a.config.MetricsAddr == "off" || a.config.MetricsAddr == "" {
		return nil
	}
	var listen net.ListenConfig
	var err error
	a.metrics, err = listen.Listen(ctx, "tcp", a.config.MetricsAddr)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		a.config.Log.WarnContext(ctx, "there are no metrics: METRICS_ADDR is taken, so choose another address or off",
			"address", a.config.MetricsAddr)
		return nil
	case err != nil:
		return fmt.Errorf("listen at METRICS_ADDR, which may also be off: %w", err)
	}
	if err := a.observeDatabase(ctx); err != nil {
		return err
	}
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	a.serve(a.metrics, mux)
	return nil
}

// observer reports each attempt: one log line, one count, one duration, and one row for some days.
type observer struct {
	log      *slog.Logger
	keep     func(idempotency.Attempt)
	attempts *prometheus.CounterVec
	unsure   prometheus.Counter
	seconds  *prometheus.HistogramVec
}

func newObserver(log *slog.Logger, registry *prometheus.Registry, keep func(idempotency.Attempt)) *observer {
	labels := []string{"operation", "outcome"}
	o := &observer{
		log: log, keep: keep,
		attempts: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "onlyonce_attempts_total", Help: "Attempts of idempotent operations.",
		}, labels),
		unsure: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "onlyonce_attempts_unconfirmed_total",
			Help: "Attempts whose COMMIT was not acknowledged, and nobody could say what became of it.",
		}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "onlyonce_attempt_duration_seconds", Help: "Duration of an attempt, waiting included.",
			Buckets: prometheus.ExponentialBuckets(0.0005, 2, 16),
		}, labels),
	}
	registry.MustRegister(o.attempts, o.unsure, o.seconds)
	return o
}

func (o *observer) observe(ctx context.Context, a idempotency.Attempt) {
	o.attempts.WithLabelValues(a.Operation, string(a.Outcome)).Inc()
	o.seconds.WithLabelValues(a.Operation, string(a.Outcome)).Observe(a.Duration.Seconds())
	if errors.Is(a.Err, idempotency.ErrUnconfirmed) {
		o.unsure.Inc()
	}
	o.keep(a)
	web.Attempted(ctx, a.Outcome)
	traceAttempt(ctx, a)
	level := slog.LevelInfo
	if a.Outcome == idempotency.Failed {
		level = slog.LevelWarn
	}
	o.log.LogAttrs(ctx, level, "attempt", slog.Any("", a))
}

// observeState exports the work that is under way. Many attempts that do not end wait for one another, or for the database. The lag of the
// expiry is derived from the last complete run, which has erased all results that had expired at its start: row-level security shows one
// tenant at a time, so the database would have to be queried for each tenant.
func (a *App) observeState(store *idempotency.Store, server *web.Server) {
	gauge := func(name, help string, of func() float64) {
		a.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, of))
	}
	gauge("onlyonce_attempts_in_progress", "Attempts that are under way now, waiting included.",
		func() float64 { return float64(store.Attempts()) })
	gauge("onlyonce_http_requests_in_flight", "Requests that are being answered now.",
		func() float64 { return float64(server.InFlight()) })
	gauge("onlyonce_expiry_lag_seconds",
		"How long, at most, a result that has expired is still there, as far as this process erases it.",
		func() float64 { return time.Since(time.Unix(0, a.expired.Load())).Seconds() })
}

// keepAttempts returns a function that keeps attempts for the configured time, or drops them. Attempts in memory are written at the end.
func (a *App) keepAttempts(registry *prometheus.Registry) func(idempotency.Attempt) {
	if a.config.KeepAttempts == 0 {
		return func(idempotency.Attempt) {}
	}
	recorder := attempt.Start(attempt.Config{
		Pool: a.pool, Log: a.config.Log, Replica: cmp.Or(a.config.Replica, thisProcess()), Reason: web.ProblemName,
	})
	a.stops = append(a.stops, func(_, draining context.Context) error {
		recorder.Close(draining)
		return nil
	})
	count := func(name, help string, of func() float64) prometheus.Collector {
		return prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, of)
	}
	registry.MustRegister(
		count("onlyonce_attempts_kept_total", "Attempts that were written to the database.",
			func() float64 { return float64(recorder.Kept()) }),
		count("onlyonce_attempts_dropped_total", "Attempts that were not: there was no room in the queue, or writing failed.",
			func() float64 { return float64(recorder.Dropped()) }),
		count("onlyonce_attempts_write_seconds_total", "How long attempts were written, waiting for the database included.",
			func() float64 { return recorder.Took().Seconds() }))
	return recorder.Observe
}

// thisProcess returns a name for this process that is unique among those of the database.
func thisProcess() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return fmt.Sprintf("%.80s/%d", host, os.Getpid())
}

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
