package account

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

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
