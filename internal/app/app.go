// Package app puts the program together: database, background work, server. [Start] gives a running
// program that tests can drive in process; [Run] is the same until a signal comes.
package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"

	"onlyonce/internal/account"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/lab"
	"onlyonce/internal/postgres"
	"onlyonce/internal/web"
)

// App is a running program.
type App struct {
	config   Config
	embedded *postgres.Embedded // nil with a database of somebody else
	pool     *pgxpool.Pool
	// begin lab
	lab *lab.Lab // nil without
	// end lab
	// stops end what was started besides, such as jobs, the last of it first. They may let it come to its end until draining is
	// done.
	stops    []func(ctx, draining context.Context) error
	listener net.Listener
	metrics  net.Listener // nil without
	servers  []*http.Server
	work     *errgroup.Group // servers and background work
	stop     context.CancelCauseFunc
	drain    time.Duration
	stopped  context.Context //nolint:containedctx // the life of the app: done when something failed or Close was called
}

// PublicDemoError says that well-known logins would have been reachable from outside, and where.
type PublicDemoError struct{ Addr string }

func (e *PublicDemoError) Error() string {
	return fmt.Sprintf("demo data has well-known logins, and %s can be reached from other machines: "+
		"set DEMO=0, listen on 127.0.0.1 without a proxy, or set ALLOW_PUBLIC_DEMO=1 if that is what you want", e.Addr)
}

// drain bounds how long requests in flight may take at the end.
const drain = 20 * time.Second

// Start brings everything up and returns when the app serves. It returns a [PublicDemoError], or what
// package postgres says about the database. The caller must Close the app.
func Start(ctx context.Context, c Config) (_ *App, err error) {
	if public := c.public(); c.Demo && public != "" && !c.PublicDemo {
		return nil, &PublicDemoError{public}
	}
	a := &App{config: c, drain: drain}
	a.stopped, a.stop = context.WithCancelCause(context.WithoutCancel(ctx))
	a.work = &errgroup.Group{}
	defer func() {
		if err != nil {
			err = errors.Join(err, a.Close(context.WithoutCancel(ctx)))
		}
	}()

	// The address first: a port that is taken is found out before anything is started.
	var listen net.ListenConfig
	if a.listener, err = listen.Listen(ctx, "tcp", c.Addr); err != nil {
		return nil, fmt.Errorf("listen at ADDR: %w", err)
	}
	url := c.DatabaseURL
	if url == "" {
		if a.embedded, err = postgres.StartEmbedded(ctx, c.DataDir, c.Log); err != nil {
			return nil, err
		}
		url = a.embedded.URL()
	}
	if err := postgres.Migrate(ctx, url); err != nil {
		return nil, err
	}
	if a.pool, err = postgres.Open(ctx, url); err != nil {
		return nil, err
	}
	registry := prometheus.NewRegistry()
	store := &idempotency.Store{
		Pool: a.pool, Wait: c.Wait, Timeout: c.Wait + 10*time.Second, Retain: c.Retain,
	}
	store.Observe = newObserver(c.Log, registry, a.keepAttempts(registry)).observe
	if c.Demo {
		if err := seed(ctx, a.pool, store); err != nil {
			return nil, err
		}
	}
	anyUser, err := account.AnyUser(ctx, a.pool)
	if err != nil {
		return nil, err
	}
	// begin lab
	if err := a.openLab(anyUser); err != nil {
		return nil, err
	}
	// end lab
	site, err := web.New(web.Config{
		Pool: a.pool, Store: store, Log: c.Log, RateLimit: c.RateLimit, Demo: demoLogins(c.Demo),
		Secure: c.secure(), Origin: c.PublicURL, TrustedProxies: c.TrustedProxies, KeepAttempts: c.KeepAttempts,
		// begin lab
		Lab: a.lab,
		// end lab
	})
	if err != nil {
		return nil, err
	}
	registry.MustRegister(inProgress(store))
	// begin invoices
	if err := a.startJobs(ctx, url, registry); err != nil {
		return nil, err
	}
	// end invoices
	if err := a.serveMetrics(ctx, registry); err != nil {
		return nil, err
	}
	a.work.Go(func() error { return a.expire(a.stopped) })
	a.serve(a.listener, site.Handler) // nothing can fail any more: whoever gets an answer has an app that stays
	a.banner(anyUser)
	return a, nil
}

// URL is where the app listens.
func (a *App) URL() string { return "http://" + a.listener.Addr().String() }

// MetricsURL is where Prometheus finds the metrics, or empty.
func (a *App) MetricsURL() string {
	if a.metrics == nil {
		return ""
	}
	return "http://" + a.metrics.Addr().String() + "/metrics"
}

// Run starts the app and serves until ctx is done, then finishes what is in flight.
func Run(ctx context.Context, c Config) error {
	a, err := Start(ctx, c)
	if err != nil {
		return err
	}
	var lost <-chan struct{} // the embedded server ended by itself
	if a.embedded != nil {
		lost = a.embedded.Done()
	}
	var cause error
	select {
	case <-ctx.Done():
		c.Log.Info("stopping: finishing what is in flight")
	case <-a.stopped.Done():
		cause = context.Cause(a.stopped)
	case <-lost:
		cause = errors.New("the embedded PostgreSQL has stopped")
	}
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), drain+10*time.Second)
	defer cancel()
	return errors.Join(cause, a.Close(closing))
}

// Close stops taking requests and jobs, finishes those in flight, and stops the embedded server last. A client that
// is still sending or reading after 20 seconds loses its connection; that is no error of ours.
func (a *App) Close(ctx context.Context) error {
	var errs []error
	// begin lab
	if a.lab != nil { // first, because whoever watches a run is a request in flight
		errs = append(errs, a.lab.Close(ctx))
	}
	// end lab
	draining, cancel := context.WithTimeout(ctx, a.drain)
	defer cancel()
	for _, server := range a.servers {
		err := server.Shutdown(draining)
		if errors.Is(err, context.DeadlineExceeded) {
			a.config.Log.WarnContext(ctx, "some clients did not finish in time: closing their connections", "after", a.drain)
			err = server.Close()
		}
		errs = append(errs, err)
	}
	if len(a.servers) == 0 && a.listener != nil {
		errs = append(errs, a.listener.Close())
	}
	for _, stop := range slices.Backward(a.stops) {
		errs = append(errs, stop(ctx, draining))
	}
	a.stop(nil)
	errs = append(errs, a.work.Wait())
	if a.pool != nil {
		a.pool.Close()
	}
	if a.embedded != nil {
		errs = append(errs, a.embedded.Stop(ctx))
	}
	return errors.Join(errs...)
}

func (a *App) serve(listener net.Listener, h http.Handler) {
	server := &http.Server{
		Handler:           refuseTwoLengths(h),
		ConnContext:       withConn,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      60 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
	}
	a.servers = append(a.servers, server)
	a.work.Go(func() error {
		if err := server.Serve(framingListener{listener}); !errors.Is(err, http.ErrServerClosed) {
			err = fmt.Errorf("serve: %w", err)
			a.stop(err)
			return err
		}
		return nil
	})
}
