package bench

import (
	"context"
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

// database is one of its databases.
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

// value reads one value.
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
