// Command usual serves what Onlyonce is measured against; see package usual. Environment: ADDR,
// DATABASE_URL, TENANT.
package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/postgres"
	"onlyonce/internal/proof/bench/usual"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "usual:", err)
		os.Exit(1)
	}
}

func run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	tenant, err := uuid.Parse(os.Getenv("TENANT"))
	if err != nil {
		return fmt.Errorf("TENANT: %w", err)
	}
	pool, err := open(ctx, os.Getenv("DATABASE_URL"), tenant)
	if err != nil {
		return err
	}
	defer pool.Close()
	server := http.Server{
		Addr: os.Getenv("ADDR"), Handler: usual.Service{Pool: pool, Tenant: tenant}.Handler(),
		ReadHeaderTimeout: 5 * time.Second,
	}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// open returns a pool like the app's, with the same number of connections.
func open(ctx context.Context, url string, tenant uuid.UUID) (*pgxpool.Pool, error) {
	like, err := postgres.Open(ctx, url)
	if err != nil {
		return nil, err
	}
	defer like.Close()
	config := like.Config()
	config.ConnConfig.RuntimeParams["onlyonce.tenant_id"] = tenant.String()
	return pgxpool.NewWithConfig(ctx, config)
}
