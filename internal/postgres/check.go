package postgres

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// checkTimeout bounds the queries of [check], connecting included.
const checkTimeout = 15 * time.Second

// check connects as the app does and returns an error if the app could not work on the connection, or not safely: an [*IsolationError],
// a [*SettingError], a [*RoleError] or a [*PoolerError]. It changes nothing.
func check(ctx context.Context, config *pgx.ConnConfig) error {
	// A pooler accepts connections even if it cannot reach its server.
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
	for _, check := range []func() error{s.isolation, s.privileges, s.utf8, s.settings} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// session holds the properties of a connection and its role.
type session struct {
	version  int    // server_version_num, for example 150004 for PostgreSQL 15.4
	level    string // the isolation level
	role     RoleError
	now      time.Time
	encoding string   // of the database
	values   []string // in the order of reliedSettings
	path     string   // the search_path
	schema   *string  // the first existing schema of path that the role may use; nil if there is none
	homes    []string // the schemas with the app's tables
}

func askSession(ctx context.Context, conn *pgx.Conn) (s session, err error) {
	// Not prepared, because it must work through any pooler.
	var (
		names []string
		now   int64 // microseconds since 1970
	)
	for _, setting := range reliedSettings() {
		names = append(names, setting.name)
	}
	err = conn.QueryRow(ctx, `
		SELECT current_setting('server_version_num')::int, current_setting('transaction_isolation'),
			(extract(epoch FROM clock_timestamp()) * 1000000)::bigint, -- whatever DateStyle is
			rolname, current_database(), rolsuper, rolbypassrls, current_setting('server_encoding'),
			ARRAY(SELECT COALESCE(current_setting(name, true), '') FROM unnest($1::text[]) WITH ORDINALITY AS s (name, n) ORDER BY n),
			current_setting('search_path'), current_schema(),
			ARRAY(
				SELECT nspname::text FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
				WHERE relname = 'intents' AND relkind = 'r' AND pg_has_role(relowner, 'USAGE'))
		FROM pg_roles WHERE rolname = current_user`, pgx.QueryExecModeExec, names,
	).Scan(&s.version, &s.level, &now, &s.role.Role, &s.role.Database, &s.role.Superuser, &s.role.BypassRLS,
		&s.encoding, &s.values, &s.path, &s.schema, &s.homes)
	if err != nil {
		return session{}, fmt.Errorf("ask the database who we are: %w", err)
	}
	s.now = time.UnixMicro(now)
	return s, nil
}

func (s session) isolation() error {
	if s.level != readCommitted {
		return &IsolationError{Level: s.level}
	}
	return nil
}

// setting is a value that the app relies on, and the effect of any other value.
type setting struct{ name, value, effect string }

// reliedSettings returns the settings, besides the isolation level, that ALTER ROLE or ALTER DATABASE may have changed. The pool sets
// those that PgBouncer passes on, and they are read back because of other poolers. The rest have the right value by default and are not
// sent, because each parameter that is sent must be named in the configuration of PgBouncer, which would drop it.
//
// It leaves out IntervalStyle, lc_messages, lc_monetary, lc_numeric and lc_time, because the app reads nothing that they affect, and
// the limits and tuning of the server's operator, such as statement_timeout.
func reliedSettings() []setting {
	return []setting{
		{"row_security", "on", "every query of a tenant's rows fails"},
		{"session_replication_role", "origin", "triggers and foreign keys do not work"},
		{"transaction_read_only", "off", "nothing can be saved, as default_transaction_read_only or a standby has it"},
		{"onlyonce.tenant_id", "", "work without a tenant is done as this one"},
		{"client_encoding", "UTF8", "text is garbled"},
		{"standard_conforming_strings", "on", "a backslash in a literal is not one"},
		{"DateStyle", "ISO", "dates cannot be read"},
		{"bytea_output", "hex", "hashes and sessions cannot be read"},
	}
}

func (s session) settings() error {
	for i, relied := range reliedSettings() {
		// DateStyle also has the order of day and month in input, which doesn't matter for ISO dates.
		if value, _, _ := strings.Cut(s.values[i], ","); value != relied.value {
			return &SettingError{Name: relied.name, Value: s.values[i], Wanted: relied.value, Effect: relied.effect}
		}
	}
	path := SettingError{Name: "search_path", Value: s.path, Wanted: "public"}
	switch {
	case s.schema == nil:
		path.Effect = "it leads to no schema that the role may use"
	case len(s.homes) > 0 && !slices.Contains(s.homes, *s.schema):
		path.Wanted, path.Effect = s.homes[0], "the app's tables are not found, and would be made once more"
	default:
		return nil
	}
	return &path
}

func (s session) privileges() error {
	if s.role.Superuser || s.role.BypassRLS {
		return &s.role
	}
	return nil
}

// utf8 returns an error if the database can't store every character.
func (s session) utf8() error {
	if s.encoding == "UTF8" {
		return nil
	}
	return fmt.Errorf("the encoding of the database is %s and must be UTF8, which is chosen when a database is created: connect to a new "+
		"one (CREATE DATABASE %s OWNER %s ENCODING 'UTF8' TEMPLATE template0;)", s.encoding,
		pgx.Identifier{s.role.Database + "_utf8"}.Sanitize(), pgx.Identifier{s.role.Role}.Sanitize())
}

// IsolationError means that transactions are not at read committed, because of the server or a connection pooler in front.
type IsolationError struct {
	Level string // as returned by SHOW transaction_isolation
}

func (e *IsolationError) Error() string {
	return fmt.Sprintf("transactions run as %q and must run as %q: if a connection pooler drops "+
		"default_transaction_isolation, set it with ALTER ROLE", e.Level, readCommitted)
}

// SettingError means that a setting the app relies on has another value.
type SettingError struct {
	Name, Value, Wanted string
	Effect              string // the effect of Value
}

func (e *SettingError) Error() string {
	return fmt.Sprintf("the setting %s is %q, so that %s: it must be %q; take it back where it was made, which may be ALTER ROLE or "+
		"ALTER DATABASE (\\drds in psql shows both), DATABASE_URL, a connection pooler or the server's own configuration",
		e.Name, e.Value, e.Effect, e.Wanted)
}

const readCommitted = "read committed"

// RoleError means that row-level security would not bind the app: one forgotten condition in a query, and a tenant would see other
// tenants' rows.
type RoleError struct {
	Role      string // the role of the URL
	Database  string
	Superuser bool
	BypassRLS bool // has BYPASSRLS; a superuser bypasses row-level security without it
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

// Collation returns an error that names the repair if the default collation of the database has another version than when its indexes
// were built, as after an upgrade of the operating system. Searches in an index that is ordered by it may then miss rows. The columns
// that the app compares by identity are ordered by code point instead, and don't depend on it.
func Collation(ctx context.Context, db Querier) error {
	var name, built, now string
	err := db.QueryRow(ctx, `
		SELECT format('%I', datname), COALESCE(datcollversion, ''), COALESCE(pg_database_collation_actual_version(oid), '')
		FROM pg_database WHERE datname = current_database()`).Scan(&name, &built, &now)
	switch {
	case err != nil:
		return fmt.Errorf("read the version of the collation: %w", err)
	case built == "" || now == "" || built == now:
		return nil
	default:
		return fmt.Errorf("indexes were built with version %s of the default collation, and the server has version %s: run "+
			"REINDEX DATABASE %s; ALTER DATABASE %s REFRESH COLLATION VERSION; while the app is stopped", built, now, name, name)
	}
}
