// Command usual creates invoices like most services: it checks whether the key and the number are taken, and then inserts,
// statement by statement in one interactive transaction. It is the baseline of Onlyonce. Two requests with one key can
// both find it free, and the second then fails on a constraint. Environment: ADDR, DATABASE_URL, TENANT.
//
// Everything except the transaction is in its favour: it checks no token, sets no header, logs nothing, and makes the response from
// memory.
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
		Addr: os.Getenv("ADDR"), Handler: service{pool, tenant}.handler(),
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
