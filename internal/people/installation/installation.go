// Package installation has the lists for admins of the installation: of all tenants, of all users, and of jobs that fail. It reads the
// directory and the jobs, which belong to no tenant. The records of a tenant are hidden from it, as from every query without a tenant.
package installation

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/record"
)

// Tenant is a tenant in the list of all.
type Tenant struct {
	ID        uuid.UUID
	Name      string
	Demo      bool
	SignedUp  bool // by people without a login, not by a command
	CreatedAt time.Time
	Users     int // at most [MaxUsers] + 1
}

// Identity returns the id of a tenant, and 1.
func (t Tenant) Identity() (id uuid.UUID, version int) { return t.ID, 1 }

// MaxUsers is the number to which the users of a tenant are counted.
const MaxUsers = 100

// Tenants returns a page of all tenants, newest first. The error may be [record.ErrKey].
func Tenants(ctx context.Context, pool *pgxpool.Pool, page record.Page) (record.List[Tenant], error) {
	at, id := time.Date(9999, time.December, 31, 0, 0, 0, 0, time.UTC), uuid.Max
	if page.From != (record.Key{}) {
		var wrongTime, wrongID error
		at, wrongTime = time.Parse(time.RFC3339Nano, page.From[0])
		if id, wrongID = uuid.Parse(page.From[1]); wrongTime != nil || wrongID != nil {
			return record.List[Tenant]{}, record.ErrKey
		}
	}
	behind, order := `<`, `DESC`
	if page.Back {
		behind, order = `>`, `ASC`
	}
	return list(ctx, pool, page, `
		SELECT id, name, demo, sign_up_id IS NOT NULL, created_at,
			(SELECT count(*) FROM (SELECT FROM users WHERE tenant_id = page.id AND id > @first LIMIT @count) AS counted)
		FROM (
			SELECT id, name, demo, sign_up_id, created_at FROM tenants
			WHERE (created_at, id) `+behind+` (@at, @id)
			ORDER BY created_at `+order+`, id `+order+` LIMIT `+record.MaxRows+`) AS page
		ORDER BY created_at `+order+`, id `+order+` LIMIT @limit`,
		pgx.NamedArgs{"at": at, "id": id, "first": uuid.Nil, "count": MaxUsers + 1},
		func(t Tenant) record.Key { return record.Key{t.CreatedAt.Format(time.RFC3339Nano), t.ID.String()} })
}

// User is a user in the list of all.
type User struct {
	ID       uuid.UUID
	Email    string
	Name     string
	Tenant   string // its name
	Role     string
	Disabled bool
	Admin    bool
	Seen     *time.Time // time of the last request in the newest session; nil without a session
}

// Identity returns the id of a user, and 1.
func (u User) Identity() (id uuid.UUID, version int) { return u.ID, 1 }

// Users returns a page of the users of all tenants whose emails begin with a text in lower case, ordered by email. The error may be
// [record.ErrKey].
func Users(ctx context.Context, pool *pgxpool.Pool, beginning string, page record.Page) (record.List[User], error) {
	behind, order := `>`, `ASC`
	if page.Back {
		behind, order = `<`, `DESC`
	}
	return list(ctx, pool, page, `
		SELECT u.id, u.email, u.name, (SELECT name FROM tenants WHERE id = u.tenant_id), u.role, u.disabled_at IS NOT NULL,
			COALESCE((
				SELECT true FROM installation_admins AS a
				WHERE a.tenant_id = u.tenant_id AND a.user_id = u.id AND a.generation = u.session_generation), false),
			(SELECT seen_at FROM sessions AS s
			WHERE s.tenant_id = u.tenant_id AND s.user_id = u.id AND s.generation = u.session_generation
			ORDER BY s.id DESC LIMIT 1)
		FROM (
			SELECT tenant_id, id, email, name, role, disabled_at, session_generation FROM users
			WHERE email `+behind+` @from AND email >= @first AND email < @last
			ORDER BY email `+order+` LIMIT `+record.MaxRows+`) AS u
		ORDER BY u.email `+order+` LIMIT @limit`,
		pgx.NamedArgs{"from": page.From[1], "first": beginning, "last": beginning + "\x7f"}, // emails are printable ASCII
		func(u User) record.Key { return record.Key{"", u.Email} })
}

// list reads a page outside of a tenant. Besides @limit, sql has the constant limit [record.MaxRows].
func list[R any](
	ctx context.Context, pool *pgxpool.Pool, page record.Page, sql string, args pgx.NamedArgs, key func(R) record.Key,
) (record.List[R], error) {
	if strings.Contains(page.From[0]+page.From[1], "\x00") { // PostgreSQL has no such text
		return record.List[R]{}, record.ErrKey
	}
	args["limit"] = page.Limit + 1
	rows, err := pool.Query(ctx, sql, args)
	if err != nil {
		return record.List[R]{}, fmt.Errorf("list for admins: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[R])
	if err != nil {
		return record.List[R]{}, fmt.Errorf("list for admins: %w", err)
	}
	return record.Cut(page, found, func(row R) (record.Key, R) { return key(row), row }, record.Key{}), nil
}
