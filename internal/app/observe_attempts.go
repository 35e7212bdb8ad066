package app

import (
	"context"
	"errors"
	"log/slog"

	"github.com/prometheus/client_golang/prometheus"

	"onlyonce/internal/idempotency"
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
