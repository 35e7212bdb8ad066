package postgres

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

// JobSchema is the schema of River's tables. One of the app's migrations creates it.
const JobSchema = "river"

// migrateJobs applies the migrations of the River version that this program was built with. They are part of the module, so an update
// of the module includes them. It runs under the same lock as the app's migrations.
func migrateJobs(ctx context.Context, config *pgxpool.Config) error {
	one := config.Copy()
	one.MaxConns, one.MinConns = 1, 0
	pool, err := pgxpool.NewWithConfig(ctx, one)
	if err != nil {
		return fmt.Errorf("migrate the jobs: %w", err)
	}
	defer pool.Close()
	migrator, err := jobMigrator(pool)
	if err != nil {
		return err
	}
	if _, err := migrator.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return fmt.Errorf("migrate the jobs: %w", err)
	}
	return nil
}

// jobVersions returns the numbers of River's migrations, lowest first.
func jobVersions() (versions []int64, err error) {
	migrator, err := jobMigrator(nil)
	if err != nil {
		return nil, err
	}
	for _, migration := range migrator.AllVersions() {
		versions = append(versions, int64(migration.Version))
	}
	return versions, nil
}

func jobMigrator(pool *pgxpool.Pool) (*rivermigrate.Migrator[pgx.Tx], error) {
	migrator, err := rivermigrate.New(riverpgxv5.New(pool), &rivermigrate.Config{Schema: JobSchema, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, fmt.Errorf("migrate the jobs: %w", err)
	}
	return migrator, nil
}
