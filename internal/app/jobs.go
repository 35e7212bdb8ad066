package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/mailer"
	"onlyonce/internal/people/account"
	"onlyonce/internal/people/attempt"
	"onlyonce/internal/people/link"
	"onlyonce/internal/people/signup"
	"onlyonce/internal/postgres"
	"onlyonce/internal/room"
	"onlyonce/internal/web"
	"onlyonce/templates"
)

const (
	// mailWorkers is the number of mails that a replica sends at once.
	mailWorkers = 4
	// jobConns are the connections of background jobs to the database: a worker holds none while it sends.
	jobConns = 3
	// failedJobs is the time for which admins of the installation see jobs that failed.
	failedJobs = 7 * 24 * time.Hour
)

// startJobs starts the jobs, beside the server. It polls for them, once a second: unlike LISTEN, polling works through every
// pooler, and a NOTIFY in each transaction that queues a job would serialize their commits.
func (a *App) startJobs(ctx context.Context, server *web.Server) error {
	pool, err := postgres.OpenSmall(ctx, a.url, jobConns)
	if err != nil {
		return err
	}
	a.stops = append(a.stops, func(ctx, _ context.Context) error {
		return a.inTime(ctx, "the database of the jobs", postgres.Close(ctx, pool))
	})
	a.registry.MustRegister(poolObserver("jobs", pool))
	workers := river.NewWorkers()
	mails := mailer.Config{
		Pool: pool, Server: a.config.MailServer, Sender: a.config.MailSender, Timeout: a.config.MailTimeout, Retry: a.config.MailRetry,
		Observe: newMailObserver(a.config.Log, a.registry).observe,
	}.WithDefaults()
	settings := river.Config{
		Schema: postgres.JobSchema, PollOnly: true, Workers: workers, Logger: jobLog(a.config.Log),
		ErrorHandler: jobErrors{a.config.Log}, Middleware: a.tracing.jobs(),
		Queues:     map[string]river.QueueConfig{mailer.Queue: {MaxWorkers: mailWorkers}},
		JobTimeout: mails.AttemptTime(), RescueStuckJobsAfter: 2 * mails.AttemptTime(),
		CancelledJobRetentionPeriod: failedJobs, DiscardedJobRetentionPeriod: failedJobs,
	}
	if err := a.addLinkMails(workers, mails); err != nil {
		return err
	}
	for _, r := range a.config.Site.Rooms {
		if r.Jobs == nil {
			continue
		}
		if err := r.Jobs(room.Jobs{
			River: &settings, Mails: mails, Store: a.store, Log: a.config.Log, Key: a.config.SecretKey,
			Event: server.EventJSON, Private: a.config.PrivateEndpoints, Origin: a.outside(), Product: templates.Product,
		}); err != nil {
			return err
		}
	}
	jobs, err := river.NewClient(riverpgxv5.New(pool), &settings)
	if err != nil {
		return fmt.Errorf("set up the jobs: %w", err)
	}
	if err := jobs.Start(context.WithoutCancel(ctx)); err != nil {
		return fmt.Errorf("start the jobs: %w", err)
	}
	a.stops = append(a.stops, func(ctx, draining context.Context) error { return a.stopJobs(ctx, draining, jobs) })
	return nil
}

// stopJobs lets running jobs finish until draining is done, and then cancels them: another replica, or the next start, repeats them.
func (a *App) stopJobs(ctx, draining context.Context, jobs *river.Client[pgx.Tx]) error {
	err := jobs.Stop(draining)
	if errors.Is(err, context.DeadlineExceeded) {
		a.config.Log.WarnContext(ctx, "some jobs did not finish in time: giving them up", "after", a.limits.drain)
		err = a.inTime(ctx, "the jobs", jobs.StopAndCancel(ctx))
	}
	if err != nil {
		return fmt.Errorf("stop the jobs: %w", err)
	}
	return nil
}

// mailObserver reports each attempt at a mail: one log line, one count, one duration.
type mailObserver struct {
	log      *slog.Logger
	attempts *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
}

func newMailObserver(log *slog.Logger, registry *prometheus.Registry) *mailObserver {
	o := &mailObserver{
		log: log,
		attempts: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "onlyonce_mail_attempts_total", Help: "Attempts to send a mail.",
		}, []string{"outcome"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "onlyonce_mail_attempt_duration_seconds", Help: "Duration of an attempt to send a mail.",
			Buckets: prometheus.ExponentialBuckets(0.005, 2, 14),
		}, []string{"outcome"}),
	}
	// Prometheus sees no increase from nothing to 1.
	for _, outcome := range mailer.Outcomes() {
		o.attempts.WithLabelValues(string(outcome))
		o.seconds.WithLabelValues(string(outcome))
	}
	registry.MustRegister(o.attempts, o.seconds)
	return o
}

// observe does not log the error of an attempt: mail servers quote addresses. A page shows it to the tenant.
func (o *mailObserver) observe(ctx context.Context, a mailer.Attempt) {
	outcome := string(a.Outcome)
	o.attempts.WithLabelValues(outcome).Inc()
	o.seconds.WithLabelValues(outcome).Observe(a.Duration.Seconds())
	level := slog.LevelInfo
	switch a.Outcome {
	case mailer.Again, mailer.Failed:
		level = slog.LevelWarn
	case mailer.Kept, mailer.Dropped: // no server was contacted
		level = slog.LevelDebug
	case mailer.Sent:
	}
	o.log.LogAttrs(ctx, level, "mail", slog.String("outcome", outcome), slog.String("kind", a.Kind),
		slog.String("tenant", a.Tenant.String()), slog.String("mail", a.Mail.String()),
		slog.Int("attempt", a.Number), slog.Duration("duration", a.Duration))
}

// jobLog passes on River's warnings. The jobs log their work.
func jobLog(log *slog.Logger) *slog.Logger { return slog.New(warnings{log.Handler()}) }

type warnings struct{ slog.Handler }

func (h warnings) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && h.Handler.Enabled(ctx, level)
}

// Handle leaves out errors that River logs because the app stops.
func (h warnings) Handle(ctx context.Context, r slog.Record) error {
	stopped := false
	r.Attrs(func(a slog.Attr) bool {
		stopped = a.Key == "error" && strings.Contains(a.Value.String(), context.Canceled.Error())
		return !stopped
	})
	if stopped {
		return nil
	}
	return h.Handler.Handle(ctx, r) //nolint:wrapcheck // slog ignores it
}

func (h warnings) WithAttrs(attrs []slog.Attr) slog.Handler {
	return warnings{h.Handler.WithAttrs(attrs)}
}

func (h warnings) WithGroup(name string) slog.Handler { return warnings{h.Handler.WithGroup(name)} }

// jobErrors logs failed jobs, unless they have logged their failure.
type jobErrors struct{ log *slog.Logger }

func (e jobErrors) HandleError(ctx context.Context, job *rivertype.JobRow, err error) *river.ErrorHandlerResult {
	if errors.Is(err, mailer.ErrAgain) || errors.Is(err, room.ErrNotAll) {
		return nil
	}
	e.log.WarnContext(ctx, "job will be tried again", "job", job.ID, "kind", job.Kind, "attempt", job.Attempt, "error", err)
	return nil
}

func (e jobErrors) HandlePanic(ctx context.Context, job *rivertype.JobRow, panicked any, trace string) *river.ErrorHandlerResult {
	e.log.ErrorContext(ctx, "job panicked", "job", job.ID, "kind", job.Kind, "panic", panicked, "stack", trace)
	return nil
}

// expire erases expired results and deletes old attempts, tenant by tenant, until ctx is done. Any number of replicas may run
// it.
func (a *App) expire(ctx context.Context) error {
	ticker := time.NewTicker(a.config.ExpireEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		if err := a.expireOnce(ctx); err != nil && ctx.Err() == nil {
			a.config.Log.WarnContext(ctx, "expiry will try again", "error", err)
		}
	}
}

func (a *App) expireOnce(ctx context.Context) error {
	began := time.Now()
	tenants, err := a.expiryTenants(ctx)
	if err != nil {
		return err
	}
	for _, tenant := range tenants {
		erased, err := idempotency.Expire(ctx, a.pool, tenant)
		if err != nil {
			return err
		}
		if erased > 0 {
			a.config.Log.InfoContext(ctx, "expired results", "tenant", tenant, "erased", erased)
		}
		if _, err := attempt.Expire(ctx, a.pool, tenant, time.Now().Add(-a.config.KeepAttempts), attempt.MaxKept); err != nil {
			return err
		}
		if err := link.Expire(ctx, a.pool, tenant); err != nil {
			return err
		}
		if err := signup.Expire(ctx, a.pool, tenant); err != nil {
			return err
		}
		for _, r := range a.config.Site.Rooms {
			if r.Expire == nil {
				continue
			}
			if err := r.Expire(ctx, a.pool, tenant); err != nil {
				return err
			}
		}
	}
	// Expired sessions are deleted too.
	ctx, cancel := context.WithTimeout(ctx, expiryStep)
	defer cancel()
	if _, err := a.pool.Exec(ctx, `DELETE FROM sessions WHERE expiry < now()`); err != nil {
		return err
	}
	a.expired.Store(began.UnixNano())
	return nil
}

// expiryStep bounds each query of expiry itself.
const expiryStep = time.Minute

func (a *App) expiryTenants(ctx context.Context) ([]uuid.UUID, error) {
	ctx, cancel := context.WithTimeout(ctx, expiryStep)
	defer cancel()
	tenants, err := account.Tenants(ctx, a.pool)
	return append(tenants, account.Strangers), err
}

// differencesTimeout bounds the query of the catalog, which waits for concurrent changes of tables.
const differencesTimeout = 5 * time.Second

// warnOfDifferences logs differences from the schema of the migrations. The app starts in spite of them: an outage would be worse,
// and a constraint may have been dropped on purpose.
func (a *App) warnOfDifferences(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, differencesTimeout)
	defer cancel()
	differences, err := postgres.Differences(ctx, a.pool)
	if err != nil {
		a.config.Log.WarnContext(ctx, "could not compare the database with the migrations", "error", err)
	}
	if err := postgres.Collation(ctx, a.pool); err != nil && ctx.Err() == nil {
		a.config.Log.WarnContext(ctx, "indexes may not find what they have", "error", err)
	}
	for _, difference := range differences {
		a.config.Log.WarnContext(ctx, "the database is not as the migrations made it", "difference", difference)
	}
}
