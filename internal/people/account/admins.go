package account

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/invalid"
	"onlyonce/internal/value/email"
)

// SetAdmin sets whether a user is an admin of the installation, until the user's email or password changes, or the user is disabled. It
// reports whether that changed anything, or returns [ErrNotFound].
//
// The app's role, which owns the table, has the right to change it only within this transaction. Other transactions never see the right.
func SetAdmin(ctx context.Context, pool *pgxpool.Pool, address email.Address, admin bool) (changed bool, err error) {
	if _, err := FindUser(ctx, pool, address); err != nil {
		return false, err
	}
	change := `
		DELETE FROM installation_admins a USING users u WHERE (a.tenant_id, a.user_id) = (u.tenant_id, u.id) AND u.email = $1`
	if admin {
		change = `
		INSERT INTO installation_admins AS a (tenant_id, user_id, generation)
		SELECT u.tenant_id, u.id, u.session_generation FROM users u JOIN tenants t ON t.id = u.tenant_id WHERE u.email = $1 AND NOT t.demo
		ON CONFLICT (tenant_id, user_id) DO UPDATE SET generation = EXCLUDED.generation WHERE a.generation <> EXCLUDED.generation`
	}
	err = pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		for _, prepare := range []string{
			`SELECT pg_advisory_xact_lock('installation_admins'::regclass::bigint)`, // two grants at once would fail
			`GRANT INSERT, UPDATE (generation), DELETE ON installation_admins TO CURRENT_USER`,
		} {
			if _, err := tx.Exec(ctx, prepare); err != nil {
				return err
			}
		}
		result, err := tx.Exec(ctx, change, address.Folded())
		if err != nil {
			return err
		}
		changed = result.RowsAffected() == 1
		_, err = tx.Exec(ctx, `REVOKE INSERT, UPDATE (generation), DELETE ON installation_admins FROM CURRENT_USER`)
		return err
	})
	if err != nil {
		return false, fmt.Errorf("set admin: %w", err)
	}
	return changed, nil
}

// MaxName is the maximum length of the name of a tenant or a token, in characters.
const MaxName = 100

// MaxList is the maximum length of a list.
const MaxList = 1000

// Tenant is a business, whose data is separate from other tenants' data.
type Tenant struct {
	ID   uuid.UUID `json:"id"`
	Name string    `json:"name"`
	// Demo reports whether the tenant's credentials are public. Nothing in this package changes such a tenant.
	Demo bool `json:"demo"`
}

// Strangers is the id of the tenant that operations of people without a login belong to. It has no row in the table of tenants, so it has
// no name and no users.
var Strangers = uuid.UUID{15: 1}

// ErrNotFound means that a tenant, user or token does not exist, or belongs to the demo.
var ErrNotFound = errors.New("not found")

// CreateTenant creates a tenant, or returns the one with the name, ignoring case, width and diacritics. It returns an [*invalid.Error]
// for an unsuitable name.
func CreateTenant(ctx context.Context, pool *pgxpool.Pool, name string) (t Tenant, created bool, err error) {
	name, err = CheckName("the name of the tenant", name)
	if err != nil {
		return Tenant{}, false, err
	}
	result, err := pool.Exec(ctx, `
		INSERT INTO tenants (id, name) VALUES ($1, $2)
		ON CONFLICT (fold_text(name)) WHERE NOT demo AND sign_up_id IS NULL DO NOTHING`, uuid.New(), name)
	if err != nil {
		return Tenant{}, false, fmt.Errorf("create tenant: %w", err)
	}
	t, err = FindTenant(ctx, pool, name)
	return t, result.RowsAffected() == 1, err
}

// FindTenant returns the tenant with an id or a name, or [ErrNotFound]. A tenant that began with a sign-up is found only by its id, because
// other tenants may have its name.
func FindTenant(ctx context.Context, pool *pgxpool.Pool, nameOrID string) (Tenant, error) {
	var t Tenant
	sql, argument := `SELECT id, name FROM tenants WHERE NOT demo AND sign_up_id IS NULL AND fold_text(name) = fold_text($1)`, any(nameOrID)
	if id, err := uuid.Parse(nameOrID); err == nil {
		sql, argument = `SELECT id, name FROM tenants WHERE NOT demo AND id = $1`, id
	}
	err := pool.QueryRow(ctx, sql, argument).Scan(&t.ID, &t.Name)
	if errors.Is(err, pgx.ErrNoRows) {
		return Tenant{}, ErrNotFound
	}
	if err != nil {
		return Tenant{}, fmt.Errorf("find tenant: %w", err)
	}
	return t, nil
}

// ListTenants returns at most [MaxList] tenants after an id, ordered by id.
func ListTenants(ctx context.Context, pool *pgxpool.Pool, after uuid.UUID) ([]Tenant, error) {
	rows, err := pool.Query(ctx, `SELECT id, name, demo FROM tenants WHERE id > $1 ORDER BY id LIMIT $2`, after, MaxList)
	if err != nil {
		return nil, fmt.Errorf("list tenants: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Tenant])
}

// CheckName returns a name with single spaces, or an [*invalid.Error]. A name must not have the form of an id, because commands accept
// both.
func CheckName(what, typed string) (string, error) {
	var wrong invalid.Error
	name := wrong.Line("/name", what, typed, MaxName)
	if _, err := uuid.Parse(name); err == nil || name == "" && wrong.Err() == nil {
		wrong.Add("/name", "Enter "+what+", with at least one letter and not as a UUID.")
	}
	return name, wrong.Err()
}
