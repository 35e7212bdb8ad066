package app

import (
	"context"
	"time"

	"onlyonce/internal/account"
	"onlyonce/internal/attempt"
	"onlyonce/internal/idempotency"
)

// expire erases results whose retention is over and deletes attempts that are old, tenant by tenant, until ctx is done. Any number of
// replicas may do so.
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
	tenants, err := account.Tenants(ctx, a.pool)
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
		if _, err := attempt.Expire(ctx, a.pool, tenant, time.Now().Add(-a.config.KeepAttempts)); err != nil {
			return err
		}
	}
	// Sessions that are over go the same way.
	_, err = a.pool.Exec(ctx, `DELETE FROM sessions WHERE expiry < now()`)
	return err
}
