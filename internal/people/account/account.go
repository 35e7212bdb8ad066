// Package account has tenants, their users and their API tokens. A credential leads to its tenant, so these tables are read before
// row-level security can apply.
package account

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"

	"github.com/alexedwards/argon2id"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Principal is the user or token that makes a request, with its tenant.
type Principal struct {
	Tenant     uuid.UUID
	TenantName string
	// Demo reports whether the tenant's credentials are public. Code that logs users in must refuse them unless the demo is on.
	Demo bool
	// User is the id of a user, which doesn't change with the email; zero for a token.
	User uuid.UUID
	// Name is a user's email, or a token's name, for display. Another user may get it later.
	Name string
	// Generation is the generation of a user's sessions, see [InSession].
	Generation int
	// Role is the present role of the user or the token.
	Role Role
	// Scope has the parts of the API that a token is for, see [web.Caller]; "" for all.
	Scope string
	// Admin is set for an admin of the installation.
	Admin bool
	// TimeZone is the name of the present time zone of the tenant, see [date.Zone].
	TimeZone string
}

// Role is a set of rights in a tenant.
type Role string

// The roles, in descending order: each includes the rights of the next.
const (
	Owner    Role = "owner"     // also manages users and tokens
	Member   Role = "member"    // sees and changes everything else
	ReadOnly Role = "read-only" // changes nothing but their own password and sessions
)

// Roles returns all roles, from the least to the most privileged.
func Roles() []Role { return []Role{ReadOnly, Member, Owner} }

// TokenRoles returns the roles that a token can have, starting with the default.
func TokenRoles() []Role { return []Role{Member, ReadOnly} }

// ErrUnknown means that there is no such credential. It has no details.
var ErrUnknown = errors.New("unknown credential")

// MaxPassword is the maximum length of a password, in bytes.
const MaxPassword = 1024

// LogIn checks an email and a password. It returns [ErrUnknown] unless both are right and the user is enabled. It does the same work in any
// case, so that its duration does not reveal which emails exist.
func LogIn(ctx context.Context, pool *pgxpool.Pool, email, password string) (Principal, error) {
	return checkPassword(ctx, pool, password, `u.email = lower($1)`, strings.TrimSpace(email))
}

// checkPassword is [LogIn] for the user selected by a condition in SQL.
func checkPassword(ctx context.Context, pool *pgxpool.Pool, password, whose string, args ...any) (Principal, error) {
	var p Principal
	var hash string
	err := pool.QueryRow(ctx, `
		SELECT t.id, t.name, t.demo, u.id, u.email, u.session_generation, u.password_hash
		FROM users u JOIN tenants t ON t.id = u.tenant_id
		WHERE u.disabled_at IS NULL AND `+whose, args...,
	).Scan(&p.Tenant, &p.TenantName, &p.Demo, &p.User, &p.Name, &p.Generation, &hash)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return Principal{}, fmt.Errorf("find user: %w", err)
	}
	unknown := hash == "" // also for a user who has not chosen a password yet
	if unknown {
		hash = decoy
	}
	if len(password) > MaxPassword {
		return Principal{}, ErrUnknown
	}
	match, err := argon2id.ComparePasswordAndHash(password, hash)
	if err != nil {
		return Principal{}, fmt.Errorf("compare password: %w", err)
	}
	if unknown || !match {
		return Principal{}, ErrUnknown
	}
	return p, nil
}

// decoy is the hash of a random password, with the parameters of [HashPassword].
const decoy = "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$J0X0bQ2rSRqFMV3qC1bR2dOkGkVU5cl0nC2VZV8m1zE"

// HashPassword returns the argon2id hash of a password, with the parameters recommended by OWASP: 19 MiB, 2 passes, 1 lane.
func HashPassword(password string) (string, error) {
	hash, err := argon2id.CreateHash(password, &argon2id.Params{
		Memory: 19 * 1024, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32,
	})
	if err != nil {
		return "", fmt.Errorf("hash password: %w", err)
	}
	return hash, nil
}

// FindToken returns the principal of a valid API token, or [ErrUnknown] if it was revoked or has expired. It stores the time of the use,
// once an hour.
func FindToken(ctx context.Context, pool *pgxpool.Pool, token string) (Principal, error) {
	var p Principal
	var first bool // use within the hour
	err := pool.QueryRow(ctx, `
		SELECT t.id, t.name, t.demo, t.time_zone, 'token ' || a.name, a.role, a.scope, `+unusedForAnHour+`
		FROM api_tokens a JOIN tenants t ON t.id = a.tenant_id
			LEFT JOIN api_token_uses u ON u.tenant_id = a.tenant_id AND u.token_id = a.id
		WHERE a.token_hash = $1 AND `+valid, HashToken(token),
	).Scan(&p.Tenant, &p.TenantName, &p.Demo, &p.TimeZone, &p.Name, &p.Role, &p.Scope, &first)
	if err == nil && first {
		err = noteUse(ctx, pool, token)
	}
	if errors.Is(err, pgx.ErrNoRows) {
		return Principal{}, ErrUnknown
	}
	if err != nil {
		return Principal{}, fmt.Errorf("find token: %w", err)
	}
	return p, nil
}

// noteUse stores the time of a token's last use, unless another replica just did.
func noteUse(ctx context.Context, pool *pgxpool.Pool, token string) error {
	_, err := pool.Exec(ctx, `
		INSERT INTO api_token_uses AS u (tenant_id, token_id, last_used_at)
		SELECT tenant_id, id, now() FROM api_tokens WHERE token_hash = $1
		ON CONFLICT (tenant_id, token_id) DO UPDATE SET last_used_at = now() WHERE `+unusedForAnHour, HashToken(token))
	return err
}

// Conditions on a token a and its use u.
const (
	valid           = `a.revoked_at IS NULL AND coalesce(a.expires_at > now(), true)`
	unusedForAnHour = `coalesce(u.last_used_at < now() - interval '1 hour', true)`
)

// MayChange reports whether the user or token with a [Principal.Name] may change records now.
func MayChange(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, name string) (may bool, err error) {
	sql := `SELECT EXISTS (SELECT FROM users WHERE tenant_id = $1 AND email = $2 AND disabled_at IS NULL AND role <> 'read-only')`
	token, is := strings.CutPrefix(name, "token ")
	if is {
		sql = `SELECT EXISTS (SELECT FROM api_tokens a WHERE tenant_id = $1 AND name = $2 AND role <> 'read-only' AND ` + valid + `)`
	}
	if err := pool.QueryRow(ctx, sql, tenant, token).Scan(&may); err != nil {
		return false, fmt.Errorf("find the rights of a name: %w", err)
	}
	return may, nil
}

// HasToken reports whether a secret belongs to the API token with an id, and the token is neither revoked nor expired.
func HasToken(ctx context.Context, pool *pgxpool.Pool, tenant, id uuid.UUID, token string) (has bool, err error) {
	err = pool.QueryRow(ctx, `
		SELECT EXISTS (
			SELECT FROM api_tokens
			WHERE token_hash = $1 AND tenant_id = $2 AND id = $3 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now()))`,
		HashToken(token), tenant, id).Scan(&has)
	if err != nil {
		return false, fmt.Errorf("look at a token: %w", err)
	}
	return has, nil
}

// HashToken returns the stored hash of the secret of a token or a link. Secrets are long and random, so one round of SHA-256 is enough.
func HashToken(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

// Tenants returns the ids of all tenants.
func Tenants(ctx context.Context, pool *pgxpool.Pool) ([]uuid.UUID, error) {
	rows, err := pool.Query(ctx, `SELECT id FROM tenants ORDER BY id`)
	if err != nil {
		return nil, fmt.Errorf("list tenants: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
}
