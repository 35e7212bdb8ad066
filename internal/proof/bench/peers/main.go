// Command peers creates invoices as services do that use a library for idempotency, one of their own, or none. It exists to
// be measured against: see docs/peers.md.
//
// All peers have the same handler, which inserts the same rows with their customer, statement by statement in one transaction.
// All is in their favour that is not about idempotency: no token is looked up, nothing is logged, the tenant is a setting of the
// connection.
package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/postgres/server"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

func run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	tenants, err := open(ctx)
	if err != nil {
		return err
	}
	switch peer := os.Getenv("PEER"); peer {
	case "none":
		return serve(ctx, tenants.create)
	case "hand":
		if err := tenants.prepareHand(ctx); err != nil {
			return err
		}
		return serve(ctx, tenants.createByHand)
	case "fiber":
		return tenants.serveFiber(ctx)
	default:
		return fmt.Errorf("PEER is %q", peer)
	}
}

// tenants are those that may create.
type tenants []tenant

// tenant has connections on which it is the one whom row-level security lets in.
type tenant struct {
	authorization string // the header
	id            string
	pool          *pgxpool.Pool
}

func (t tenants) of(authorization string) (tenant, error) {
	for _, one := range t {
		if one.authorization == authorization {
			return one, nil
		}
	}
	return tenant{}, fmt.Errorf("no tenant for %q", authorization)
}

// open reads TENANTS, such as "token=id,token=id".
func open(ctx context.Context) (tenants, error) {
	var all tenants
	for pair := range strings.SplitSeq(os.Getenv("TENANTS"), ",") {
		token, id, ok := strings.Cut(pair, "=")
		if !ok {
			return nil, fmt.Errorf("TENANTS has %q", pair)
		}
		config, err := server.Parse(os.Getenv("DATABASE_URL"))
		if err != nil {
			return nil, err
		}
		config.MaxConns = 16 // as the app has
		config.ConnConfig.RuntimeParams["onlyonce.tenant_id"] = id
		pool, err := pgxpool.NewWithConfig(ctx, config)
		if err != nil {
			return nil, err
		}
		all = append(all, tenant{"Bearer " + token, id, pool})
	}
	return all, nil
}

// serve answers with net/http.
func serve(ctx context.Context, create func(ctx context.Context, authorization, key string, body []byte) ([]byte, error)) error {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /readyz", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("POST /api/v1/invoices", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		answer, err := create(r.Context(), r.Header.Get("Authorization"), r.Header.Get("Idempotency-Key"), body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		_, _ = w.Write(answer)
	})
	server := http.Server{Addr: os.Getenv("ADDR"), Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	if err := server.ListenAndServe(); err != http.ErrServerClosed {
		return err
	}
	return nil
}
