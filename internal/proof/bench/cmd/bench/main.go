// Command bench measures Onlyonce and prints one table; see package bench. Run it in the repository:
//
//	go run ./internal/proof/bench/cmd/bench          # everything, and keep the results in docs/
//	go run ./internal/proof/bench/cmd/bench -quick   # small and noisy, keeps nothing
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"syscall"

	"onlyonce/internal/proof/bench"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run() error {
	quick := flag.Bool("quick", false, "small sizes and few rounds; keep nothing")
	o := bench.Full()
	only := flag.String("only", "",
		"one part: create, samekey, distance, growth, redis, volume, size, series, expiry, start, pages or memory")
	matching := flag.String("kinds", "", "of the kinds of requests those whose names match this regular expression")
	keep := flag.Bool("keep", false, "keep the figures of -only among those of the last run, in docs/")
	publish := flag.Bool("publish", false, "write summary, table and charts of the last run anew; measure nothing")
	flag.Parse()
	if *quick {
		o = bench.Quick()
	}
	o.Only, o.Log = *only, os.Stderr
	if *matching != "" {
		var err error
		if o.Kinds, err = regexp.Compile(*matching); err != nil {
			return err
		}
	}

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	before, known, err := bench.ReadReport(filepath.Join("docs", "performance.json"))
	if err != nil {
		return err
	}
	if *publish {
		return before.Publish("docs")
	}
	report, err := bench.Run(ctx, o)
	if err != nil {
		return err
	}
	fmt.Fprint(os.Stdout, "\n"+report.Table()+"\n")
	if known {
		compare(report, before)
	}
	switch {
	case *only == "" && !*quick:
		return report.Publish("docs")
	case *keep:
		return before.With(report).Publish("docs")
	default:
		return nil
	}
}

func compare(now, before bench.Report) {
	for _, line := range now.Differs(before) {
		fmt.Fprintf(os.Stdout, "Not the same as at %s: %s.\n", before.Commit, line)
	}
	worse := now.Worse(before)
	if len(worse) == 0 {
		fmt.Fprintf(os.Stdout, "Nothing got worse since %s.\n", before.Commit)
		return
	}
	fmt.Fprintf(os.Stdout, "Worse than at %s:\n", before.Commit)
	for _, line := range worse {
		fmt.Fprintln(os.Stdout, "  "+line)
	}
}
