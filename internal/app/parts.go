package app

import (
	"context"

	"github.com/google/uuid"

	"onlyonce/internal/idempotency"
)

// part is an optional part of the app in its own files. Only [parts] refers to it. Unused fields are nil.
type part struct {
	settings []setting
	// incomplete returns a [*SettingError] for settings that need another one; getenv is as in [Environ].
	incomplete func(c Config, getenv func(string) string) error
	// warning returns a sentence about a missing setting, or "".
	warning func(Config) string
	// fill creates the missing data of a demo tenant, and reports whether there was any.
	fill func(context.Context, demoTenant, *idempotency.Store) (news bool, err error)
	// start runs after the database and the demo data are ready, before the app serves.
	start func(context.Context, *App) error
	// expire deletes old data of a tenant, besides the results of operations.
	expire func(context.Context, *App, uuid.UUID) error
}

func parts() []part {
	return []part{
		mailPart(),
		invoicePart(),
		webhookPart(),
	}
}
