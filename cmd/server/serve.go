package main

import (
	"context"
	"log/slog"
	"runtime/debug"
	"strings"

	"onlyonce/internal/app"
	"onlyonce/internal/postgres"
)

type serve struct{}

// Run serves until ctx is done.
func (serve) Run(ctx context.Context, t *terminal) error {
	// The live heap is some 15 MB, more than half of it what is remembered of intents, so collecting garbage less often costs little more.
	// The soft limit makes Go collect more often when large requests need more for a while.
	if t.getenv("GOGC") == "" {
		debug.SetGCPercent(125)
	}
	if t.getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(160 << 20)
	}
	config, err := app.Environ(t.getenv)
	if err != nil {
		return err
	}
	config.Log = slog.New(slog.NewTextHandler(t.stderr, nil))
	_, warnings := config.Contradictions(t.getenv)
	for _, warning := range warnings {
		config.Log.Warn("settings", "warning", warning)
	}
	config.Banner = t.stdout
	return app.Run(ctx, config)
}

type migrate struct{}

// Run migrates, and says what is not as the migrations made it.
func (migrate) Run(ctx context.Context, t *terminal) error {
	return t.withURL(ctx, func(url string) error {
		if err := postgres.Migrate(ctx, url); err != nil {
			return err
		}
		pool, err := postgres.OpenSmall(ctx, url, 1)
		if err != nil {
			return err
		}
		defer pool.Close()
		differences, err := postgres.Differences(ctx, pool)
		if err != nil {
			return err
		}
		if len(differences) > 0 {
			return t.print(map[string]any{"migrated": true, "differences": differences},
				"All migrations of this program have run, but something has changed since:\n"+strings.Join(differences, "\n"))
		}
		return t.print(map[string]any{"migrated": true}, "The schema is that of this program.")
	})
}
