package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"syscall"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

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
