// Package app puts the program together: database, background work, server. [Start] returns a running program that tests can
// drive in process; [Run] runs it until a signal.
package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/people/account"
	"onlyonce/internal/people/peoplepages"
	"onlyonce/internal/postgres"
	"onlyonce/internal/web"
)

// App is a running program.
type App struct {
	config   Config
	embedded *postgres.Embedded // nil with DATABASE_URL
	pool     *pgxpool.Pool
	url      string // of the database
	store    *idempotency.Store
	allow    func(ctx context.Context, name string, aMinute int) bool // nil without REDIS_URL
	registry *prometheus.Registry
	tracing  *tracing // nil without a collector
	anyUser  bool     // whether there is a user besides the demo's
	extras   []Extra
	// stops end the jobs and other connections, in reverse order. They may let work finish until draining is done.
	stops    []func(ctx, draining context.Context) error
	listener net.Listener
	metrics  net.Listener // nil if METRICS_ADDR is off
	servers  []*http.Server
	work     *errgroup.Group // servers and background work
	stop     context.CancelCauseFunc
	limits   limits
	expired  atomic.Int64 // start of the last complete run of expire, or of the app, in nanoseconds since 1970
	// ending is done when unanswered requests are given up.
	ending  context.Context //nolint:containedctx // parent of all requests' contexts
	giveUp  context.CancelFunc
	stopped context.Context //nolint:containedctx // done when something failed or Close was called
}

// PublicDemoError reports that public logins would have been reachable from outside, at Addr.
type PublicDemoError struct{ Addr string }

func (e *PublicDemoError) Error() string {
	return fmt.Sprintf("demo data has well-known logins, and %s can be reached from other machines: "+
		"set DEMO=0, listen on 127.0.0.1 without a proxy, or set ALLOW_PUBLIC_DEMO=1 if that is what you want", e.Addr)
}

type limits struct {
	request time.Duration // each request; 0 is the default of package web
	drain   time.Duration // requests and jobs in flight at shutdown
	redis   time.Duration // each request to Redis; 0 for shared.Patience
	filling time.Duration // demo data, and the last question of a start; 0 is 10 minutes
}

// The end takes drain, then parting to answer abandoned requests, and closing for the rest. Nothing acknowledged is lost.
const (
	drain   = 20 * time.Second
	parting = time.Second
	closing = 5 * time.Second
)

// Start starts the app and returns when it serves. It returns a [PublicDemoError], or the errors of package postgres. The caller must Close
// the app.
func Start(ctx context.Context, c Config) (*App, error) { return start(ctx, c, limits{drain: drain}) }

func start(ctx context.Context, c Config, bounds limits) (_ *App, err error) {
	if public := c.public(); c.Demo && public != "" && !c.PublicDemo {
		return nil, &PublicDemoError{public}
	}
	c.Log = slog.New(web.WithRequestID(c.Log.Handler()))
	a := &App{config: c, limits: bounds}
	a.ending, a.giveUp = context.WithCancel(context.WithoutCancel(ctx))
	a.stopped, a.stop = context.WithCancelCause(context.WithoutCancel(ctx))
	a.work = &errgroup.Group{}
	defer func() {
		if err != nil {
			err = errors.Join(err, a.Close(context.WithoutCancel(ctx)))
		}
	}()

	// The address first, so that a port in use is noticed before anything is started.
	if a.listener, err = listen(ctx, c); err != nil {
		return nil, err
	}
	if err := a.startTracing(ctx); err != nil {
		return nil, err
	}
	if err := a.openDatabase(ctx); err != nil {
		return nil, err
	}
	a.warnOfDifferences(ctx)
	a.registry = prometheus.NewRegistry()
	store := &idempotency.Store{
		Pool: a.pool, Wait: c.Wait, Timeout: c.Wait + 10*time.Second, Retain: c.Retain, Memory: max(1, c.Memory<<20),
	}
	if err := a.share(store); err != nil {
		return nil, err
	}
	store.Observe = newObserver(c.Log, a.registry, a.keepAttempts(a.registry)).observe
	a.store = store
	filling, filled := context.WithTimeout(ctx, cmp.Or(bounds.filling, 10*time.Minute))
	defer filled()
	if c.Demo {
		if err := a.seed(filling); err != nil {
			return nil, err
		}
	}
	if a.anyUser, err = account.AnyUser(filling, a.pool); err != nil {
		return nil, err
	}
	if c.Demo && !a.anyUser {
		if a.extras, err = openExtras(c.Site.Extras, c.Log); err != nil {
			return nil, err
		}
	}
	server, err := web.New(web.Config{
		Pool: a.pool, Store: store, Log: c.Log, Observe: newHTTPObserver(c, a.registry).observe,
		RateLimit: c.RateLimit, Allow: a.allow,
		Secure: c.secure(), Origin: strings.TrimSuffix(c.PublicURL, c.path()), Path: c.path(), Port: a.port(),
		TrustedProxies: c.TrustedProxies,
		RequestTime:    bounds.request, Ending: a.ending,
		Mount: c.Site.Mount(peoplepages.Config{
			KeepAttempts: c.KeepAttempts, Key: a.config.SecretKey, Forgot: a.forgot(), Command: c.Command, Demo: demoLogins(c.Demo),
			SignUp: a.signUp(), ShowsLinks: a.showsLinks(), Copies: c.Site.Copies(),
		}, c.MailServer != nil, c.PrivateEndpoints, pagesOf(a.extras)...),
	})
	if err != nil {
		return nil, err
	}
	if err := a.startJobs(ctx, server); err != nil {
		return nil, err
	}
	a.expired.Store(time.Now().UnixNano())
	a.observeState(store, server)
	if err := a.serveMetrics(ctx, a.registry); err != nil {
		return nil, err
	}
	a.work.Go(func() error { return a.expire(a.stopped) })
	a.serve(a.listener, a.tracing.requests(server)) // nothing can fail any more, so an app that answers stays up
	a.banner()
	return a, nil
}

// openDatabase opens the database and migrates it. The embedded one uses the secret key in DataDir, unless SECRET_KEY is set.
func (a *App) openDatabase(ctx context.Context) (err error) {
	if a.url = a.config.DatabaseURL; a.url == "" {
		if a.embedded, err = postgres.StartEmbedded(ctx, a.config.DataDir, a.config.Log); err != nil {
			return err
		}
		a.url = a.embedded.URL()
		if a.config.SecretKey.IsZero() {
			if a.config.SecretKey, err = a.embedded.SecretKey(); err != nil {
				return err
			}
		}
	}
	if err := postgres.Migrate(ctx, a.url, a.config.Log); err != nil {
		return err
	}
	a.pool, err = postgres.OpenTraced(ctx, a.url, a.tracing.queries())
	return err
}

// URL returns the address of the app on this machine: http:// and host:port, or unix: and the path of a socket.
func (a *App) URL() string {
	address := AddressOf(a.listener)
	host, port, err := net.SplitHostPort(address)
	switch {
	case strings.HasPrefix(address, unixPrefix):
		return address
	case err == nil && net.ParseIP(host).IsUnspecified():
		return "http://" + net.JoinHostPort("127.0.0.1", port) // a browser can't open 0.0.0.0 or [::] everywhere
	default:
		return "http://" + address
	}
}

// MetricsURL returns the URL of the metrics, or "".
func (a *App) MetricsURL() string {
	if a.metrics == nil {
		return ""
	}
	return "http://" + a.metrics.Addr().String() + "/metrics"
}

// Run starts the app and serves until ctx is done, then finishes the requests in flight. A service manager that has set
// NOTIFY_SOCKET is notified (sd_notify(3)).
func Run(ctx context.Context, c Config) error {
	a, err := Start(ctx, c)
	switch {
	case err != nil && ctx.Err() != nil:
		c.Log.Info("stopped before it was ready")
		return nil //nolint:nilerr // the signal is the cause
	case err != nil:
		return err
	}
	notify(c.Log, daemon.SdNotifyReady)
	var lost <-chan struct{} // closed if the embedded server ends unexpectedly
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
	notify(c.Log, daemon.SdNotifyStopping)
	return errors.Join(cause, a.Close(context.WithoutCancel(ctx)))
}

func notify(log *slog.Logger, state string) {
	if _, err := daemon.SdNotify(false, state); err != nil {
		log.Warn("systemd can't be notified", "state", state, "error", err)
	}
}

// Close stops accepting requests and jobs, finishes those in progress, and stops the embedded server last. After 20 seconds, a request that
// waits for the database is answered with 503, and a client that is still sending or reading loses its connection. After 5 more seconds
// Close returns in any case. A database that does not answer is logged and is no error: it must not keep the program from exiting.
func (a *App) Close(ctx context.Context) error {
	var errs []error
	ctx, cancel := context.WithTimeout(ctx, a.limits.drain+closing)
	defer cancel()
	for _, extra := range a.extras {
		errs = append(errs, a.inTime(ctx, "a part of the demo", extra.Close(ctx)))
	}
	draining, cancel := context.WithTimeout(ctx, a.limits.drain)
	defer cancel()
	defer a.giveUp()
	defer context.AfterFunc(draining, a.giveUp)()
	answering, cancel := context.WithTimeout(ctx, a.limits.drain+parting)
	defer cancel()
	for _, server := range a.servers {
		err := server.Shutdown(answering)
		if errors.Is(err, context.DeadlineExceeded) {
			a.config.Log.WarnContext(ctx, "some clients did not finish in time: closing their connections", "after", a.limits.drain)
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
		errs = append(errs, a.inTime(ctx, "the database", postgres.Close(ctx, a.pool)))
	}
	if a.embedded != nil {
		errs = append(errs, a.inTime(ctx, "the embedded PostgreSQL", a.embedded.Stop(ctx)))
	}
	return errors.Join(errs...)
}

// inTime returns err, except for the error of a part that did not end until ctx was done, which is logged.
func (a *App) inTime(ctx context.Context, what string, err error) error {
	if ctx.Err() == nil || !errors.Is(err, ctx.Err()) {
		return err
	}
	a.config.Log.WarnContext(ctx, "did not end in time: left to end by itself", "what", what, "error", err)
	return nil
}

func (a *App) serve(listener net.Listener, h http.Handler) {
	server := &http.Server{
		Handler:           refuseUnclear(a.config.Log, h),
		ConnContext:       withConn,
		ConnState:         onState,
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
