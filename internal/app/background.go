package app

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/people/account"
	"onlyonce/internal/people/attempt"
	"onlyonce/internal/people/link"
	"onlyonce/internal/people/signup"
	"onlyonce/internal/postgres"
)

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

// expiryLag exports the most time by which results exceed their retention. It is derived from the last complete run, which has
// erased all results that had expired at its start: row-level security shows one tenant at a time, so the database would have
// to be queried for each tenant.
func (a *App) expiryLag() prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "onlyonce_expiry_lag_seconds",
		Help: "How long, at most, a result that has expired is still there, as far as this process erases it.",
	}, func() float64 { return time.Since(time.Unix(0, a.expired.Load())).Seconds() })
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
