package app

import (
	"context"

	"github.com/google/uuid"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/web"
)

// part is something that the app can be without, in files of its own: its line in [parts] is all that the rest knows of it.
// What a part does not need is nil.
type part struct {
	settings []setting
	// incomplete returns a [*SettingError] for settings that need another one; getenv is that of [Environ].
	incomplete func(c Config, getenv func(string) string) error
	// warning returns a sentence about what a configuration lacks, or "".
	warning func(Config) string
	// fill fills in what is missing of a demo tenant, and reports whether anything was.
	fill func(context.Context, demoTenant, *idempotency.Store) (news bool, err error)
	// start adds to an app that has its database and its demo data, and answers nobody yet.
	start func(context.Context, *App) error
	// pages mounts the pages that start may add, for the list of all routes.
	pages func(*web.Site)
	// expire deletes what is old of a tenant, beside the results of operations.
	expire func(context.Context, *App, uuid.UUID) error
}

func parts() []part {
	return []part{
		labPart(),
		mailPart(),
		invoicePart(),
		webhookPart(),
	}
}
