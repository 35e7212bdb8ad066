package app

import (
	"context"
	"time"

	"onlyonce/internal/postgres"
)

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
