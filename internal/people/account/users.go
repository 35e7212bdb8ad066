package account

import (
	"context"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/invalid"
	"onlyonce/internal/value/email"
)

// MinPassword is the minimum length of a new password, in characters.
const MinPassword = 12

// User is a person who can log in, identified by email.
type User struct {
	Email    string    `json:"email"`
	Tenant   uuid.UUID `json:"tenant_id"`
	Role     string    `json:"role"`
	Disabled bool      `json:"disabled"`
}

// FindUser returns the user with an email, ignoring case, or [ErrNotFound].
func FindUser(ctx context.Context, pool *pgxpool.Pool, address email.Address) (User, error) {
	var u User
	err := pool.QueryRow(ctx, `
		SELECT u.email, u.tenant_id, u.role, u.disabled_at IS NOT NULL
		FROM users u JOIN tenants t ON t.id = u.tenant_id
		WHERE u.email = $1 AND NOT t.demo`, address.Folded()).Scan(&u.Email, &u.Tenant, &u.Role, &u.Disabled)
	if errors.Is(err, pgx.ErrNoRows) {
		return User{}, ErrNotFound
	}
	if err != nil {
		return User{}, fmt.Errorf("find user: %w", err)
	}
	return u, nil
}

// ErrTaken means that a different tenant's user has the email.
var ErrTaken = errors.New("the email belongs to a user of another tenant")

// ErrLastOwner means that the tenant would have no owner left who can log in.
var ErrLastOwner = errors.New("this is the last owner who can log in: make another owner first")

// CreateUser creates a user of a tenant, or returns the one with the email, whose password and role stay unchanged. The role is one of
// [Roles]; with "" the first user of a tenant becomes its owner, and later ones become members. It returns [ErrTaken], or an
// [*invalid.Error] for an unsuitable email or password.
func CreateUser(
	ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, address email.Address, password, role string,
) (u User, created bool, err error) {
	var wrong invalid.Error
	if problem := address.Problem(); problem != "" {
		wrong.Add("/email", problem)
	}
	hash, err := newPassword(&wrong, password)
	if err != nil {
		return User{}, false, err
	}
	result, err := pool.Exec(ctx, `
		INSERT INTO users (tenant_id, email, password_hash, role) VALUES ($1, $2, $3, NULLIF($4, '')) ON CONFLICT (email) DO NOTHING`,
		tenant, address.Folded(), hash, role)
	if err != nil {
		return User{}, false, fmt.Errorf("create user: %w", err)
	}
	u, err = FindUser(ctx, pool, address)
	if errors.Is(err, ErrNotFound) || err == nil && u.Tenant != tenant { // users of the demo are not found
		return User{}, false, ErrTaken
	}
	return u, result.RowsAffected() == 1, err
}

// SetPassword replaces a user's password, ends the user's sessions and revokes a link. It returns [ErrNotFound], or an [*invalid.Error]
// for an unsuitable password.
func SetPassword(ctx context.Context, pool *pgxpool.Pool, address email.Address, password string) error {
	hash, err := newPassword(&invalid.Error{}, password)
	if err != nil {
		return err
	}
	result, err := pool.Exec(ctx, `
		UPDATE users u SET password_hash = $2
		FROM tenants t WHERE t.id = u.tenant_id AND NOT t.demo AND u.email = $1`, address.Folded(), hash)
	if err != nil {
		return fmt.Errorf("set password: %w", err)
	}
	if result.RowsAffected() == 0 {
		return ErrNotFound
	}
	return nil
}

// SetDisabled sets whether a user may log in. Disabling permanently ends all sessions and the link to choose a password. It reports
// whether that changed anything, or returns [ErrNotFound] or [ErrLastOwner].
func SetDisabled(ctx context.Context, pool *pgxpool.Pool, address email.Address, disabled bool) (changed bool, err error) {
	result, err := pool.Exec(ctx, `
		UPDATE users u SET disabled_at = CASE WHEN $2 THEN now() END
		FROM tenants t
		WHERE t.id = u.tenant_id AND NOT t.demo AND u.email = $1 AND (u.disabled_at IS NOT NULL) <> $2`, address.Folded(), disabled)
	if broken, ok := errors.AsType[*pgconn.PgError](err); ok && broken.ConstraintName == "users_last_owner" {
		return false, ErrLastOwner
	}
	if err != nil {
		return false, fmt.Errorf("disable or enable user: %w", err)
	}
	if result.RowsAffected() == 1 {
		return true, nil
	}
	_, err = FindUser(ctx, pool, address)
	return false, err
}

// AnyUser reports whether there is a user outside the demo.
func AnyUser(ctx context.Context, pool *pgxpool.Pool) (found bool, err error) {
	// Starting with the first tenant, so that at most the few users of the demo are read before another one.
	err = pool.QueryRow(ctx, `
		SELECT true FROM users u JOIN tenants t ON t.id = u.tenant_id
		WHERE u.tenant_id > '00000000-0000-0000-0000-000000000000' AND NOT t.demo
		ORDER BY u.tenant_id LIMIT 1`).Scan(&found)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look for users: %w", err)
	}
	return found, nil
}

// InSession returns the principal of a session that began as p, with the user's current email, rights and time zone. It returns
// [ErrUnknown] if the user was deleted or disabled, or had another email or password when the session began.
func InSession(ctx context.Context, pool *pgxpool.Pool, p Principal) (Principal, error) {
	err := pool.QueryRow(ctx, `
		SELECT u.email, u.role, COALESCE((
			SELECT true FROM installation_admins
			WHERE tenant_id = $1 AND user_id = $2 AND generation = $3), false), t.time_zone
		FROM users u JOIN tenants t ON t.id = u.tenant_id
		WHERE u.tenant_id = $1 AND u.id = $2 AND u.session_generation = $3 AND u.disabled_at IS NULL`,
		p.Tenant, p.User, p.Generation).Scan(&p.Name, &p.Role, &p.Admin, &p.TimeZone)
	if errors.Is(err, pgx.ErrNoRows) {
		return Principal{}, ErrUnknown
	}
	if err != nil {
		return Principal{}, fmt.Errorf("look at the user of a session: %w", err)
	}
	return p, nil
}

// PasswordProblem returns a sentence about an unsuitable new password, or "".
func PasswordProblem(password string) string {
	switch {
	case utf8.RuneCountInString(password) < MinPassword:
		return fmt.Sprintf("Choose a password of at least %d characters.", MinPassword)
	case len(password) > MaxPassword:
		return fmt.Sprintf("Choose a password of at most %d bytes.", MaxPassword)
	default:
		return ""
	}
}

// newPassword returns the hash of a password, or wrong with all mistakes.
func newPassword(wrong *invalid.Error, password string) (hash string, err error) {
	if problem := PasswordProblem(password); problem != "" {
		wrong.Add("/password", problem)
	}
	if err := wrong.Err(); err != nil {
		return "", err
	}
	return HashPassword(password)
}
