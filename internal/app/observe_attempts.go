package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"github.com/prometheus/client_golang/prometheus"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/people/attempt"
	"onlyonce/internal/web"
)

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

// inProgress exports the number of running attempts: many that do not end wait for one another, or for the database.
func inProgress(store *idempotency.Store) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "onlyonce_attempts_in_progress", Help: "Attempts that are under way now, waiting included.",
	}, func() float64 { return float64(store.Attempts()) })
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
