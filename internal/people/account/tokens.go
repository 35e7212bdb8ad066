package account

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Token is an API token in a list. Its secret is not stored.
type Token struct {
	Name      string    `json:"name"`
	Role      Role      `json:"role"`
	CreatedAt time.Time `json:"created_at"`
	Scope     string    `json:"scope,omitzero"` // the parts of the API that it is for, with spaces between them; "" for all
	// ExpiresAt is the time in UTC from which on it is refused, or nil.
	ExpiresAt *time.Time `json:"expires_at,omitzero"`
}

// ErrExists means that the tenant has a token with the name.
var ErrExists = errors.New("there is a token of this name")

// CreateToken creates an API token and returns its secret, which is shown only once. If the tenant has an active token with the name, it
// returns [ErrExists], or with replace revokes that one and reports so: the new one has its scope, and is valid for as long as it was. The
// role is one of [TokenRoles]; "" is the role of the replaced token, or [Member]. The error for an invalid name is an [*invalid.Error].
func CreateToken(
	ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, name string, role Role, replace bool,
) (secret string, replaced bool, err error) {
	name, err = CheckName("the name of the token", name)
	if err != nil {
		return "", false, err
	}
	random := make([]byte, 32)
	_, _ = rand.Read(random) // never fails
	secret = "oo_" + base64.RawURLEncoding.EncodeToString(random)
	err = pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		// The lock serialises replacements: the second one must see the token of the first.
		if _, err := tx.Exec(ctx, `SELECT FROM tenants WHERE id = $1 FOR NO KEY UPDATE`, tenant); err != nil {
			return err
		}
		var before Role
		var scope string
		var validFor *time.Duration
		if replace {
			err := tx.QueryRow(ctx, revoke+` RETURNING role, scope, expires_at - created_at`, tenant, name).Scan(&before, &scope, &validFor)
			if err != nil && !errors.Is(err, pgx.ErrNoRows) {
				return err
			}
			replaced = err == nil
		}
		role = cmp.Or(role, before, Member)
		made, err := tx.Exec(ctx, `
			INSERT INTO api_tokens (token_hash, tenant_id, name, role, scope, expires_at) VALUES ($1, $2, $3, $4, $5, now() + $6::interval)
			ON CONFLICT (tenant_id, name) WHERE revoked_at IS NULL DO NOTHING`, HashToken(secret), tenant, name, role, scope, validFor)
		if err == nil && made.RowsAffected() == 0 {
			err = ErrExists
		}
		return err
	})
	if errors.Is(err, ErrExists) {
		return "", false, ErrExists
	}
	if err != nil {
		return "", false, fmt.Errorf("create token: %w", err)
	}
	return secret, replaced, nil
}

const revoke = `UPDATE api_tokens SET revoked_at = now() WHERE tenant_id = $1 AND name = $2 AND revoked_at IS NULL`

// RevokeToken revokes the token with a name. It reports whether that changed anything, or returns [ErrNotFound] if such a token never
// existed.
func RevokeToken(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, name string) (changed bool, err error) {
	name, err = CheckName("the name of the token", name)
	if err != nil {
		return false, err
	}
	revoked, err := pool.Exec(ctx, revoke, tenant, name)
	if err != nil {
		return false, fmt.Errorf("revoke token: %w", err)
	}
	if revoked.RowsAffected() > 0 {
		return true, nil
	}
	var known bool
	err = pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM api_tokens WHERE tenant_id = $1 AND name = $2)`, tenant, name).Scan(&known)
	if err != nil {
		return false, fmt.Errorf("find token: %w", err)
	}
	if !known {
		return false, ErrNotFound
	}
	return false, nil
}

// ListTokens returns at most [MaxList] tokens of a tenant that are not revoked after a name, ordered by name. Some may have expired.
func ListTokens(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, after string) ([]Token, error) {
	rows, err := pool.Query(ctx, `
		SELECT name, role, created_at, scope, expires_at FROM api_tokens
		WHERE tenant_id = $1 AND revoked_at IS NULL AND name > $2
		ORDER BY name LIMIT $3`, tenant, after, MaxList)
	if err != nil {
		return nil, fmt.Errorf("list tokens: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Token])
}
