package app

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

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
	o.seconds.WithLabelValues(a.Route, a.Method, classOf(a.Status)).Observe(a.Duration.Seconds())
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

// classOf returns the class of a status, such as "4xx": a label with each status would multiply the series.
func classOf(status int) string { return fmt.Sprintf("%dxx", status/100) }

// inFlight exports the number of requests in flight.
func inFlight(server *web.Server) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "onlyonce_http_requests_in_flight", Help: "Requests that are being answered now.",
	}, func() float64 { return float64(server.InFlight()) })
}
