package bench

import (
	"context"
	_ "embed" // for the SQL
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/jackc/pgx/v5"

	"onlyonce/internal/postgres"
	"onlyonce/internal/postgres/server"
)

// cluster is the app's embedded PostgreSQL, with full durability.
type cluster struct {
	*postgres.Embedded
	socketDir string
}

type database struct {
	socketDir, role, name string
}

// startCluster also returns the path of pgbench.
func startCluster(ctx context.Context, dir string) (_ *cluster, pgbench string, err error) {
	account, err := server.ChooseAccount("")
	if err != nil {
		return nil, "", err
	}
	programs, err := server.Locate(ctx, account, 0)
	if err != nil {
		return nil, "", err
	}
	pgbench = filepath.Join(programs.Dir, "pgbench")
	if _, err := os.Stat(pgbench); err != nil {
		if pgbench, err = exec.LookPath("pgbench"); err != nil {
			return nil, "", fmt.Errorf("pgbench is missing (apt install postgresql-contrib): %w", err)
		}
	}
	home := filepath.Join(dir, "database")
	// Open to pass through: as root, PostgreSQL runs as another user.
	if err := os.Mkdir(home, 0o711); err != nil { //nolint:gosec // see above
		return nil, "", err
	}
	embedded, err := postgres.StartEmbedded(ctx, home, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, "", err
	}
	config, err := server.Parse(embedded.URL())
	if err != nil {
		return nil, "", err
	}
	return &cluster{embedded, config.ConnConfig.Host}, pgbench, nil
}

// create makes an empty database; a server that starts on it brings the schema.
func (c *cluster) create(ctx context.Context, name string) (database, error) {
	db := database{c.socketDir, server.Role, name}
	err := c.admin().exec(ctx,
		"CREATE DATABASE "+pgx.Identifier{name}.Sanitize()+" OWNER "+server.Role)
	return db, err
}

func (d database) url() string { return server.URL(d.socketDir, d.role, d.name) }

// admin is the same database for the superuser, who is not bound by row-level security.
func (d database) admin() database { return database{d.socketDir, server.Superuser, d.name} }

// exec runs statements one after the other on one connection, so that a setting holds for the next ones. Several in one text are one
// transaction.
func (d database) exec(ctx context.Context, statements ...string) error {
	conn, err := server.Connect(ctx, d.url())
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	for _, sql := range statements {
		if err := conn.PgConn().Exec(ctx, sql).Close(); err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
	}
	return nil
}

func value[T any](ctx context.Context, d database, sql string, args ...any) (T, error) {
	var v T
	conn, err := server.Connect(ctx, d.url())
	if err != nil {
		return v, err
	}
	defer conn.Close(ctx)
	if err := conn.QueryRow(ctx, sql, args...).Scan(&v); err != nil {
		return v, fmt.Errorf("%s: %w", sql, err)
	}
	return v, nil
}

func (c *cluster) admin() database { return database{c.socketDir, server.Superuser, "postgres"} }

//go:embed fill.sql
var fillScript string

// fill inserts at least that many rows of acme into every table that the measured requests read. It connects as the superuser, with
// triggers and foreign keys disabled; the rows satisfy them. Indexes are maintained row by row, as in production.
func fill(ctx context.Context, db database, rows int) error {
	return db.admin().exec(ctx,
		`SET session_replication_role = replica`,
		`SET work_mem = '256MB'`,
		`SET synchronous_commit = off`,
		fmt.Sprintf(`
			CREATE TEMPORARY TABLE past AS
			SELECT '%s'::uuid AS tenant_id, n, at, key, (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0')
				|| '70008000' || lpad(to_hex(n), 12, '0'))::uuid AS id
			FROM (SELECT key, row_number() OVER (ORDER BY key) AS n
					FROM (SELECT gen_random_uuid() AS key FROM generate_series(1, %d)) AS random) AS keys,
				LATERAL (SELECT now() - interval '1 day' - (%[2]d - n) * interval '1 second' AS at) AS moment
			ORDER BY n`, acme, rows),
		fillScript, `VACUUM ANALYZE`, `CHECKPOINT`)
}
