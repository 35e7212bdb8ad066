// Command scale runs one proof of package scale.
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
	seed := flag.Uint64("seed", rand.Uint64N(1_000_000), "decides intents and faults") //nolint:gosec // nobody has to be surprised
	flag.Parse()
	fmt.Fprintf(os.Stdout, "seed %d\n", *seed)
	if what := flag.Arg(0); what != "pooler" {
		return fmt.Errorf("what is %q, and must be pooler", what)
	}
	return scale.Pooler(ctx, *seed, os.Stdout)
}
