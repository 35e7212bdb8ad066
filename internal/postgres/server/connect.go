package server

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Parse is [pgxpool.ParseConfig] for an address that is complete by itself. libpq's variables, such as PGPORT, PGSERVICE or
// PGTARGETSESSIONATTRS, are for psql and its kind, and pgx would let them change the connections of every program. Parse removes all
// variables that begin with PG from the environment of this process, and so from that of the programs that it starts: pgx has no way to
// ignore PGSERVICE otherwise.
func Parse(url string) (*pgxpool.Config, error) {
	for _, variable := range os.Environ() {
		if name, _, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "PG") {
			if err := os.Unsetenv(name); err != nil {
				return nil, fmt.Errorf("ignore %s: %w", name, err)
			}
		}
	}
	return pgxpool.ParseConfig(url) //nolint:forbidigo // the only place that does
}

// Connect is [pgx.Connect] for an address that is complete by itself.
func Connect(ctx context.Context, url string) (*pgx.Conn, error) {
	config, err := Parse(url)
	if err != nil {
		return nil, err
	}
	return pgx.ConnectConfig(ctx, config.ConnConfig)
}

// Pool is [pgxpool.New] for an address that is complete by itself.
func Pool(ctx context.Context, url string) (*pgxpool.Pool, error) {
	config, err := Parse(url)
	if err != nil {
		return nil, err
	}
	return pgxpool.NewWithConfig(ctx, config)
}
