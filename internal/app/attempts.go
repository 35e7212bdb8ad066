package app

import (
	"cmp"
	"context"
	"fmt"
	"os"

	"github.com/prometheus/client_golang/prometheus"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/people/attempt"
	"onlyonce/internal/web"
)

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
