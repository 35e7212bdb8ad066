package e2e

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/alexedwards/argon2id"

	"onlyonce/internal/app"
	"onlyonce/internal/postgres/pgtest"
)

// demoData is what every test begins with. The app makes it once, since that takes longer than most tests.
var demoData = pgtest.Template{Fill: func(ctx context.Context, db *pgtest.Database) error {
	running, err := app.Start(ctx, app.Config{
		Addr: "127.0.0.1:0", DatabaseURL: db.URL, Demo: true, Log: slog.New(slog.DiscardHandler), Wait: patience, ExpireEvery: time.Hour,
	})
	if err != nil {
		return fmt.Errorf("start the app: %w", err)
	}
	err = waitForMails(ctx, db)
	if err == nil {
		err = hashCheaply(ctx, db)
	}
	return errors.Join(err, running.Close(ctx))
}}

// hashCheaply gives the people of the demo hashes of the same password that take next to no time: each test logs in.
func hashCheaply(ctx context.Context, db *pgtest.Database) error {
	cheap := argon2id.Params{Memory: 8, Iterations: 1, Parallelism: 1, SaltLength: 16, KeyLength: 32}
	hash, err := argon2id.CreateHash(demoPassword, &cheap)
	if err != nil {
		return err
	}
	_, err = db.Pool.Exec(ctx, `UPDATE users SET password_hash = $1`, hash)
	return err
}
