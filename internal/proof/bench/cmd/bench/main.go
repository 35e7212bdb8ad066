// Command bench measures Onlyonce and prints one table; see package bench. Run it in the repository:
//
//	go run ./internal/proof/bench/cmd/bench          # everything, and keep the figures in .bench
//	go run ./internal/proof/bench/cmd/bench -quick   # small and noisy, keeps nothing
//
// It exits with 1 if a figure misses its mark.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"onlyonce/internal/proof/bench"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run() error {
	const kept = ".bench"
	o := bench.Options{Rounds: 5, Length: 2 * time.Second, Rows: 100_000}
	quick := flag.Bool("quick", false, "small sizes and few rounds; keep nothing")
	only := flag.String("only", "", "one part: "+bench.Parts())
	flag.Parse()
	if *quick {
		o = bench.Options{Rounds: 2, Length: time.Second, Rows: 10_000} // noisier, for working on the benchmark itself
	}
	o.Only, o.Log = *only, os.Stderr
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	report, err := bench.Run(ctx, o)
	if err != nil {
		return err
	}
	table, err := report.Table(kept)
	if err != nil {
		return err
	}
	fmt.Fprint(os.Stdout, "\n"+table+"\n")
	if !*quick {
		err = report.Keep(kept)
	}
	return errors.Join(err, report.Missed())
}
