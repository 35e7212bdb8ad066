package app

import (
	"cmp"
	"context"
	"errors"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/idempotency/shared"
)

// share connects to REDIS_URL, so that the replicas answer repeats for each other and have common limits.
func (a *App) share(store *idempotency.Store) error {
	if a.config.RedisURL == "" {
		return nil
	}
	if a.config.SecretKey.IsZero() {
		return &SettingError{"REDIS_URL", errors.New("what is shared is sealed with SECRET_KEY: set it too, the same for all replicas")}
	}
	memory, err := shared.Open(a.config.RedisURL, a.config.SecretKey.Derive("shared intents"), cmp.Or(a.limits.redis, shared.Patience),
		a.config.Log)
	if err != nil {
		return &SettingError{"REDIS_URL", err}
	}
	a.stops = append(a.stops, func(context.Context, context.Context) error { return memory.Close() })
	store.Shared = &idempotency.Shared{Get: memory.Get, Put: memory.Put}
	a.allow = memory.Allow
	return nil
}
