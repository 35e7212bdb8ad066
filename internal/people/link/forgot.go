package link

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/people/account"
	"onlyonce/internal/people/secret"
	"onlyonce/internal/postgres"
)

// ForgottenLife is the validity of a link that was requested without a login.
const ForgottenLife = time.Hour

// Forgot mails the user with an email a link to choose a password. It returns nil without sending a mail if the user does not exist, is
// disabled, belongs to the demo, or was sent one in the last ten minutes. An open link is sent again, with the same end. A user who has
// never chosen a password gets no new link, because only owners invite users.
func Forgot(ctx context.Context, pool *pgxpool.Pool, seed secret.Seed, email string) error {
	var tenant, id uuid.UUID
	err := pool.QueryRow(ctx, `
		SELECT u.tenant_id, u.id FROM users u JOIN tenants t ON t.id = u.tenant_id
		WHERE u.email = lower($1) AND u.disabled_at IS NULL AND NOT t.demo`, strings.TrimSpace(email)).Scan(&tenant, &id)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("find user: %w", err)
	}
	err = postgres.InTenant(ctx, pool, tenant, func(tx pgx.Tx) error { return forgot(ctx, tx, seed, tenant, id) })
	if broken, ok := errors.AsType[*pgconn.PgError](err); ok && broken.ConstraintName == "link_mails_apart" {
		return nil
	}
	return err
}

// forgot queues the mail. It locks the user first, so that it does not replace a link that an owner makes concurrently.
func forgot(ctx context.Context, tx pgx.Tx, seed secret.Seed, tenant, id uuid.UUID) error {
	var open *uuid.UUID // the open link
	var hash []byte
	var hasPassword bool
	err := tx.QueryRow(ctx, `
		SELECT CASE WHEN link_used_at IS NULL AND link_expires_at > now() THEN link_id END, link_hash, password_hash <> ''
		FROM users WHERE tenant_id = $1 AND id = $2 AND disabled_at IS NULL FOR NO KEY UPDATE`, tenant, id).Scan(&open, &hash, &hasPassword)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	if open == nil && !hasPassword {
		return nil
	}
	link := uuid.New()
	if open != nil && string(account.HashToken(seed.Derive("link", *open))) == string(hash) {
		link = *open // otherwise it was derived from another key, and can't be derived again
	}
	_, err = tx.Exec(ctx, `
		UPDATE users
		SET link_id = $3, link_hash = $4, link_used_at = NULL,
			link_expires_at = CASE WHEN link_id = $3 THEN link_expires_at ELSE now() + $5 END
		WHERE tenant_id = $1 AND id = $2`, tenant, id, link, account.HashToken(seed.Derive("link", link)), ForgottenLife)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `
		INSERT INTO link_mails (tenant_id, user_id, link_id, recipient, asked_by)
		SELECT tenant_id, id, link_id, email, '' FROM users WHERE tenant_id = $1 AND id = $2`, tenant, id)
	return err
}
