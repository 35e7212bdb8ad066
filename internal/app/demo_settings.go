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
	if _, used, err := business.Edit.Used(ctx, store, t.id, key); err != nil || used {
		return err
	}
	in := t.business
	in.Currency, in.TaxRate = t.currency, t.rate
	d, err := in.Draft()
	if err != nil {
		return err
	}
	_, err = business.Edit.Do(ctx, store, idempotency.Intent{Tenant: t.id, Key: key, Actor: "demo", Record: t.id, Seen: 1}, d)
	if _, stale := errors.AsType[*idempotency.StaleError](err); stale {
		return nil
	}
	return err
}
