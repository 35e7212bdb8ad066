package e2e

import (
	"context"

	"github.com/alexedwards/argon2id"

	"onlyonce/internal/app/apptest"
	"onlyonce/internal/postgres/pgtest"
)

// demoData is the initial data of every test. The app creates it once, because that takes longer than most tests.
var demoData = pgtest.Template{Fill: func(ctx context.Context, db *pgtest.Database) error {
	if err := apptest.Fill(ctx, db); err != nil {
		return err
	}
	return hashCheaply(ctx, db)
}}

// hashCheaply replaces the password hashes of the demo's people by hashes that are fast to check, because each test logs in.
func hashCheaply(ctx context.Context, db *pgtest.Database) error {
	cheap := argon2id.Params{Memory: 8, Iterations: 1, Parallelism: 1, SaltLength: 16, KeyLength: 32}
	hash, err := argon2id.CreateHash(demoPassword, &cheap)
	if err != nil {
		return err
	}
	_, err = db.Pool.Exec(ctx, `UPDATE users SET password_hash = $1`, hash)
	return err
}
