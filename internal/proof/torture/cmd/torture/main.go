// Command torture runs package torture for a long time, or tests its ability to find faults.
package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"syscall"
	"time"

	"onlyonce/internal/proof/torture"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "torture:", err)
		os.Exit(1) //nolint:gocritic // stop has nothing left to do
	}
}

// With fewer faults, a run proves too little.
const enough = 300

func run(ctx context.Context) error {
	cfg := torture.Config{Clients: 32, FaultEvery: time.Second}
	random := rand.Uint64N(1_000_000) //nolint:gosec // need not be unpredictable
	flag.Uint64Var(&cfg.Seed, "seed", random, "decides intents and faults")
	flag.DurationVar(&cfg.Duration, "duration", 10*time.Minute, "how long faults are injected, at least")
	flag.IntVar(&cfg.Intents, "intents", 50_000, "how many intents are pursued, at least, even if it takes longer")
	selftest := flag.Bool("selftest", false, "remove one layer at a time, and fail if nothing breaks")
	flag.Parse()

	if *selftest {
		return torture.SelfTest(ctx, cfg.Seed, os.Stdout)
	}
	fmt.Fprintf(os.Stdout, "seed %d, for %v and %d intents\n", cfg.Seed, cfg.Duration, cfg.Intents)
	report, err := torture.Run(ctx, cfg)
	if err != nil {
		return err
	}
	if err := report.Print(os.Stdout); err != nil {
		return err
	}
	if err := report.Err(); err != nil {
		return err
	}
	if report.FaultCount() < enough {
		return fmt.Errorf("%d faults prove too little, wanted %d", report.FaultCount(), enough)
	}
	return nil
}
