package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/pprof"
	"syscall"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

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
