package server

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Parse is [pgxpool.ParseConfig] without libpq's environment variables, such as PGPORT, PGSERVICE or PGTARGETSESSIONATTRS. They are for
// psql and similar programs, and pgx would let them change the connections of every program. Parse removes all variables that begin
// with PG from the environment of this process, and so from that of its child processes: pgx has no other way to ignore PGSERVICE.
func Parse(url string) (*pgxpool.Config, error) {
	for _, variable := range os.Environ() {
		if name, _, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "PG") {
			if err := os.Unsetenv(name); err != nil {
				return nil, fmt.Errorf("ignore %s: %w", name, err)
			}
		}
	}
	return pgxpool.ParseConfig(url) //nolint:forbidigo // the only call
}

// Connect is [pgx.Connect] with the configuration of [Parse].
func Connect(ctx context.Context, url string) (*pgx.Conn, error) {
	config, err := Parse(url)
	if err != nil {
		return nil, err
	}
	return pgx.ConnectConfig(ctx, config.ConnConfig)
}

// Pool is [pgxpool.New] with the configuration of [Parse].
func Pool(ctx context.Context, url string) (*pgxpool.Pool, error) {
	config, err := Parse(url)
	if err != nil {
		return nil, err
	}
	return pgxpool.NewWithConfig(ctx, config)
}
