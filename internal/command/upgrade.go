package command

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"onlyonce/internal/app"
	"onlyonce/internal/postgres"
)

type upgradeDatabase struct{}

// Run moves the embedded database to the newest PostgreSQL.
func (upgradeDatabase) Run(ctx context.Context, t *terminal) error {
	config, err := app.Environ(t.getenv)
	if err != nil {
		return err
	}
	if config.DatabaseURL != "" {
		return errors.New("DATABASE_URL is set, and this command is for the embedded database: see docs/upgrade.md for other servers")
	}
	u, err := postgres.UpgradeEmbedded(ctx, config.DataDir, slog.New(slog.NewTextHandler(t.stderr, nil)))
	if err != nil {
		return err
	}
	line := fmt.Sprintf("The data belongs to PostgreSQL %d, and no later one is installed.", u.To)
	if u.Kept != "" {
		line = fmt.Sprintf("The data belongs to PostgreSQL %d now. That of PostgreSQL %d is kept in %s: remove it when all is well.",
			u.To, u.From, u.Kept)
	}
	return t.print(struct {
		postgres.Upgrade

		Outcome string `json:"outcome"`
	}{u, outcome(u.Kept != "", "upgraded")}, line)
}
