// Command peers is an API for invoices behind Fiber's middleware for idempotency, for the verdicts in
// docs/verdicts/api.md. Its handler inserts the rows statement by statement in one transaction. Environment: ADDR,
// DATABASE_URL of a database of Onlyonce, and TENANTS, such as
// "oo_demo_acme=0a3e0000-0000-4000-8000-00000000ac3e,oo_demo_globex=610be000-0000-4000-8000-0000000610be". node/peer.mjs
// is the same API with node-idempotency in Express.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"
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
	return tenants.serveFiber(ctx)
}

type tenants []tenant

// tenant has connections with the setting for row-level security.
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
		config, err := pgxpool.ParseConfig(os.Getenv("DATABASE_URL"))
		if err != nil {
			return nil, err
		}
		config.MaxConns = 16
		config.ConnConfig.RuntimeParams["onlyonce.tenant_id"] = id
		pool, err := pgxpool.NewWithConfig(ctx, config)
		if err != nil {
			return nil, err
		}
		all = append(all, tenant{"Bearer " + token, id, pool})
	}
	return all, nil
}
