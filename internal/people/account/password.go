package account

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/invalid"
)

// Invited is the user who can choose a password with a link.
type Invited struct {
	User       uuid.UUID
	Email      string
	TenantName string
	Demo       bool
	// Used reports whether the link was used. Then it is valid only for a repeat.
	Used bool
}

// FindLink returns the user of a link. It returns [ErrUnknown] if the link has expired or was replaced, or the user is disabled.
func FindLink(ctx context.Context, pool *pgxpool.Pool, secret string) (i Invited, err error) {
	err = pool.QueryRow(ctx, `
		SELECT u.id, u.email, t.name, t.demo, u.link_used_at IS NOT NULL
		FROM users u JOIN tenants t ON t.id = u.tenant_id
		WHERE u.link_hash = $1 AND u.link_expires_at > now() AND u.disabled_at IS NULL`, HashToken(secret),
	).Scan(&i.User, &i.Email, &i.TenantName, &i.Demo, &i.Used)
	if errors.Is(err, pgx.ErrNoRows) {
		return Invited{}, ErrUnknown
	}
	if err != nil {
		return Invited{}, fmt.Errorf("find link: %w", err)
	}
	return i, nil
}

// UseLink sets the password of a link's user, once, and ends all sessions of the user. A repeat with the same password changes nothing,
// and succeeds. It returns [ErrUnknown], or an [*invalid.Error] for an unsuitable password.
func UseLink(ctx context.Context, pool *pgxpool.Pool, secret, password string) (Principal, error) {
	hash, err := newPassword(&invalid.Error{}, password)
	if err != nil {
		return Principal{}, err
	}
	_, err = pool.Exec(ctx, `
		UPDATE users SET password_hash = $2, link_used_at = now()
		WHERE link_hash = $1 AND link_used_at IS NULL AND link_expires_at > now() AND disabled_at IS NULL`, HashToken(secret), hash)
	if err != nil {
		return Principal{}, fmt.Errorf("use link: %w", err)
	}
	return checkPassword(ctx, pool, password, `u.link_hash = $1 AND u.link_expires_at > now()`, HashToken(secret))
}

// ChangePassword replaces the password of a user who knows the current one, and ends all sessions except those of the generation that it
// returns. A repeat changes nothing, and succeeds. It returns [ErrUnknown] for a wrong current password, or an [*invalid.Error] for an
// unsuitable new one.
func ChangePassword(ctx context.Context, pool *pgxpool.Pool, p Principal, current, wanted string) (generation int, err error) {
	var wrong invalid.Error
	if p.Demo {
		wrong.Add("/new_password", "The demo's passwords can't be changed.")
		return 0, wrong.Err()
	}
	hash, err := newPassword(&wrong, wanted)
	if err != nil {
		for i := range wrong.Fields {
			wrong.Fields[i].Pointer = "/new_password"
		}
		return 0, err
	}
	const own = `u.tenant_id = $1 AND u.id = $2`
	known, err := checkPassword(ctx, pool, current, own, p.Tenant, p.User)
	if errors.Is(err, ErrUnknown) {
		known, err = checkPassword(ctx, pool, wanted, own, p.Tenant, p.User) // a repeat
		return known.Generation, err
	}
	if err != nil {
		return 0, err
	}
	err = pool.QueryRow(ctx, `
		UPDATE users SET password_hash = $4
		WHERE tenant_id = $1 AND id = $2 AND session_generation = $3 AND disabled_at IS NULL
		RETURNING session_generation`, p.Tenant, p.User, known.Generation, hash).Scan(&generation)
	if errors.Is(err, pgx.ErrNoRows) { // a concurrent request was faster
		known, err = checkPassword(ctx, pool, wanted, own, p.Tenant, p.User)
		return known.Generation, err
	}
	if err != nil {
		return 0, fmt.Errorf("change password: %w", err)
	}
	return generation, nil
}
