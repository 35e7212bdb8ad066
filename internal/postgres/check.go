package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// checkTimeout bounds the questions of [check], connecting included.
const checkTimeout = 15 * time.Second

// check connects as the app does and refuses what the app cannot work with or be safe on: an
// [*IsolationError], a [*RoleError] or a [*PoolerError]. It changes nothing.
func check(ctx context.Context, config *pgx.ConnConfig) error {
	// A pooler takes connections even when it has no server to pass them on to.
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return explainPooler(config, fmt.Errorf("reach the database: %w", err))
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if err := checkSession(ctx, conn); err != nil {
		return explainPooler(config, err)
	}
	return checkPrepared(ctx, config, conn)
}

func checkSession(ctx context.Context, conn *pgx.Conn) error {
	s, err := askSession(ctx, conn)
	if err != nil {
		return err
	}
	if err := s.isolation(); err != nil {
		return err
	}
	return s.privileges()
}

// session is what a connection of the app is to the server.
type session struct {
	version int    // server_version_num, for example 150004 for PostgreSQL 15.4
	level   string // of isolation
	role    RoleError
	now     time.Time
}

func askSession(ctx context.Context, conn *pgx.Conn) (s session, err error) {
	// Not prepared: it has to work through any pooler.
	err = conn.QueryRow(ctx, `
		SELECT current_setting('server_version_num')::int, current_setting('transaction_isolation'), clock_timestamp(),
			rolname, current_database(), rolsuper, rolbypassrls
		FROM pg_roles WHERE rolname = current_user`, pgx.QueryExecModeExec,
	).Scan(&s.version, &s.level, &s.now, &s.role.Role, &s.role.Database, &s.role.Superuser, &s.role.BypassRLS)
	if err != nil {
		return session{}, fmt.Errorf("ask the database who we are: %w", err)
	}
	return s, nil
}

func (s session) isolation() error {
	if s.level != readCommitted {
		return &IsolationError{Level: s.level}
	}
	return nil
}

func (s session) privileges() error {
	if s.role.Superuser || s.role.BypassRLS {
		return &s.role
	}
	return nil
}

// IsolationError says that the server, or a connection pooler before it, runs transactions
// at another isolation level than the app is built on.
type IsolationError struct {
	Level string // as SHOW transaction_isolation tells it
}

func (e *IsolationError) Error() string {
	return fmt.Sprintf("transactions run as %q and must run as %q: if a connection pooler drops "+
		"default_transaction_isolation, set it with ALTER ROLE", e.Level, readCommitted)
}

const readCommitted = "read committed"

// RoleError says that row-level security would not bind the app: one forgotten condition in a query, and
// a tenant would see the rows of others.
type RoleError struct {
	Role      string // that the URL connects as
	Database  string
	Superuser bool
	BypassRLS bool // it has BYPASSRLS; every superuser passes by as well
}

func (e *RoleError) Error() string {
	const separate = "onlyonce"
	why, role := "has BYPASSRLS", pgx.Identifier{e.Role}.Sanitize()
	advice := fmt.Sprintf("take it away (ALTER ROLE %s NOBYPASSRLS;)", role)
	if e.Superuser {
		why = "is a superuser"
		advice = fmt.Sprintf("connect as a role of the app's own (CREATE ROLE %s LOGIN PASSWORD '...'; "+
			"ALTER DATABASE %s OWNER TO %[1]s;), which must also own the app's tables and functions if there are any",
			separate, pgx.Identifier{e.Database}.Sanitize())
	}
	return fmt.Sprintf("the role %s %s, so row-level security would not keep tenants apart: %s", role, why, advice)
}
