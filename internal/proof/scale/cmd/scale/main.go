// Command scale runs a proof of package scale.
package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"syscall"

	"onlyonce/internal/proof/scale"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "scale:", err)
		os.Exit(1) //nolint:gocritic // stop has nothing left to do
	}
}

func run(ctx context.Context) error {
	seed := flag.Uint64("seed", rand.Uint64N(1_000_000), "decides intents and faults") //nolint:gosec // it need not be secret
	strict := flag.Bool("strict", false, "failover: accept no writes while no standby is synchronous")
	flag.Parse()
	fmt.Fprintf(os.Stdout, "seed %d\n", *seed)
	switch what := flag.Arg(0); what {
	case "pooler":
		return scale.Pooler(ctx, *seed, os.Stdout)
	case "failover":
		return scale.Failover(ctx, *seed, *strict, os.Stdout)
	case "backup":
		return scale.Backup(ctx, *seed, os.Stdout)
	case "upgrade":
		return scale.Upgrade(ctx, *seed, os.Stdout)
	case "cells":
		return scale.Cells(ctx, *seed, os.Stdout)
	case "proxies":
		return scale.Proxies(ctx, os.Stdout)
	case "alerts":
		return scale.Alerts(ctx, os.Stdout)
	default:
		return fmt.Errorf("what is %q, and must be pooler, failover, backup, upgrade, cells, proxies or alerts", what)
	}
}
