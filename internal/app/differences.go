package app

import (
	"context"
	"time"

	"onlyonce/internal/postgres"
)

// differencesTimeout bounds the look at the catalog, which may have to wait while somebody changes a table.
const differencesTimeout = 5 * time.Second

// warnOfDifferences logs what is not as the migrations made it. The app works on: people who cannot reach their invoices would
// be worse off, and the person who took a protection away may have had to.
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
