package account_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/internal/people/account"
	"onlyonce/internal/value/email"
)

// TestSetAdmin checks that a grant at any time makes one admin and leaves no right behind, and that a new email or password and a disabled
// login end it for good.
func TestSetAdmin(t *testing.T) {
	b := setup(t)
	b.Spoil(t) // the right is granted for a moment
	const rights = `
		SELECT relacl::text || string_agg(attname || COALESCE(attacl::text, ''), ' ' ORDER BY attnum)
		FROM pg_class c JOIN pg_attribute a ON attrelid = c.oid WHERE relname = 'installation_admins' GROUP BY c.oid, relacl`
	var before, after string
	must.OK(t, b.Pool.QueryRow(t.Context(), rights).Scan(&before))
	isAdmin := func() bool {
		t.Helper()
		who := account.Principal{Tenant: b.tenant, User: b.tenant}
		must.OK(t, b.Pool.QueryRow(t.Context(), `SELECT session_generation FROM users WHERE id = $1`, b.tenant).Scan(&who.Generation))
		who, err := account.InSession(t.Context(), b.Pool, who)
		must.OK(t, err)
		return who.Admin
	}
	set := func(admin bool) bool {
		t.Helper()
		changed, err := account.SetAdmin(t.Context(), b.Pool, "ADA@example.com", admin)
		must.OK(t, err)
		return changed
	}
	assert.Thatf(t, !isAdmin() && !set(false), "an admin from the beginning")
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			_, err := account.SetAdmin(t.Context(), b.Pool, "ada@example.com", true)
			assert.Thatf(t, err == nil, "%v", err)
		})
	}
	all.Wait()
	assert.Thatf(t, isAdmin() && !set(true), "no admin after ten grants, or an eleventh changes something")
	for _, ends := range []string{
		`UPDATE users SET email = 'eve@example.com' WHERE id = $1`, `UPDATE users SET email = 'ada@example.com' WHERE id = $1`,
		`UPDATE users SET password_hash = 'another' WHERE id = $1`,
	} {
		must.Exec(t, b.Pool, ends, b.tenant)
		assert.Thatf(t, !isAdmin(), "an admin after %s", ends)
	}
	const another = `INSERT INTO users (tenant_id, email, password_hash, role) VALUES ($1, 'owner@example.com', 'x', 'owner')`
	must.Exec(t, b.Pool, another, b.tenant)
	set(true)
	for _, disabled := range []bool{true, false} {
		_, err := account.SetDisabled(t.Context(), b.Pool, "ada@example.com", disabled)
		must.OK(t, err)
	}
	assert.Thatf(t, !isAdmin() && set(true) && isAdmin() && set(false) && !isAdmin() && !set(false),
		"an admin after being disabled, or revoked; or not after a new grant")
	must.OK(t, b.Pool.QueryRow(t.Context(), rights).Scan(&after))
	assert.Thatf(t, after == before, "rights %s before, and %s after", before, after)
}

// TestOnlyTheCommandMakesAdmins checks that no other statement of the app's role makes or changes an admin, and that users of the demo
// can't be.
func TestOnlyTheCommandMakesAdmins(t *testing.T) {
	b := setup(t)
	for _, sql := range []string{
		`INSERT INTO installation_admins (tenant_id, user_id, generation) SELECT tenant_id, id, session_generation FROM users`,
		`UPDATE installation_admins SET generation = 0`, `UPDATE installation_admins SET user_id = tenant_id`,
		`DELETE FROM installation_admins`, `TRUNCATE installation_admins`,
	} {
		_, err := b.Pool.Exec(t.Context(), sql)
		refused, ok := errors.AsType[*pgconn.PgError](err)
		assert.Thatf(t, ok && refused.Code == "42501", "%s: %v", sql, err)
	}
	must.Exec(t, b.Admin(), `INSERT INTO installation_admins SELECT tenant_id, id, 0 FROM users LIMIT 1`)
	tx, err := b.Pool.Begin(t.Context())
	must.OK(t, err)
	defer func() { must.OK(t, tx.Rollback(t.Context())) }()
	seen := -1
	_, err = tx.Exec(t.Context(), `SELECT set_config('onlyonce.tenant_id', $1, true)`, uuid.NewString())
	must.OK(t, err)
	must.OK(t, tx.QueryRow(t.Context(), `SELECT count(*) FROM installation_admins`).Scan(&seen))
	assert.Thatf(t, seen == 0, "another tenant sees %d admins", seen)
	must.Exec(t, b.Pool, `UPDATE tenants SET demo = true`)
	for _, admin := range []bool{true, false} {
		for _, address := range []email.Address{"ada@example.com", "nobody@example.com"} {
			_, err := account.SetAdmin(t.Context(), b.Pool, address, admin)
			assert.Thatf(t, errors.Is(err, account.ErrNotFound), "%s: %v", address, err)
		}
	}
}
