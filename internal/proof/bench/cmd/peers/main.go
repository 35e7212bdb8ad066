// Command peers compares the app with other ways to create, and writes docs/peers.md; see package bench. Run it in the repository:
//
//	go run ./internal/proof/bench/cmd/peers                    # everything
//	go run ./internal/proof/bench/cmd/peers -quick -docs /tmp   # small and noisy, written elsewhere
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"onlyonce/internal/proof/bench"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

func run() error {
	quick := flag.Bool("quick", false, "few and short rounds")
	docs := flag.String("docs", "docs", "where peers.md and its chart go")
	flag.Parse()
	o := bench.Full()
	if *quick {
		o = bench.Quick()
	}
	o.Log = os.Stderr
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	report, err := bench.Peers(ctx, o)
	if err != nil {
		return err
	}
	return report.Publish(*docs)
}
