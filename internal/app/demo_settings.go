package app

import (
	"context"
	"errors"

	"onlyonce/internal/idempotency"
	business "onlyonce/internal/people/settings"
)

// settle saves the settings of the tenant once. It keeps settings that a user has changed.
func (t demoTenant) settle(ctx context.Context, store *idempotency.Store) error {
	key, err := idempotency.ParseKey("demo-settings")
	if err != nil {
		return err
	}
	if _, used, err := business.Edit.Used(ctx, store, t.ID, key); err != nil || used {
		return err
	}
	d, err := t.Business.Draft()
	if err != nil {
		return err
	}
	_, err = business.Edit.Do(ctx, store, idempotency.Intent{Tenant: t.ID, Key: key, Actor: "demo", Record: t.ID, Seen: 1}, d)
	if _, stale := errors.AsType[*idempotency.StaleError](err); stale {
		return nil
	}
	return err
}
