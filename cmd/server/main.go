// Command server runs Onlyonce. Without any setting it starts its own PostgreSQL, fills in demo data
// and listens on 127.0.0.1:8080; `server --help` lists the environment variables.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"onlyonce/internal/app"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run gives the exit code: 0 for an orderly end, 1 for a failure, 2 for unknown arguments.
func run(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) int {
	err := parse(args)
	if errors.Is(err, flag.ErrHelp) {
		if err := app.Usage(stdout); err != nil {
			return 1
		}
		return 0
	}
	if err != nil {
		fmt.Fprintln(stderr, "onlyonce:", err)
		return 2
	}
	if err := serve(ctx, getenv, stdout, stderr); err != nil {
		fmt.Fprintln(stderr, "onlyonce:", err)
		return 1
	}
	return 0
}

// parse refuses every argument. For --help it returns [flag.ErrHelp].
func parse(args []string) error {
	flags := flag.NewFlagSet("server", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	err := flags.Parse(args)
	if err == nil && flags.NArg() > 0 {
		err = fmt.Errorf("unknown argument %q", flags.Arg(0))
	}
	if err != nil {
		return fmt.Errorf("%w: there are only environment variables, which --help explains", err)
	}
	return nil
}

func serve(ctx context.Context, getenv func(string) string, stdout, stderr io.Writer) error {
	// The live heap is a few megabytes, so collecting garbage less often costs little memory. The soft limit
	// makes Go collect more often when large requests need more for a while.
	if getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	if getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(160 << 20)
	}
	config, err := app.Environ(getenv)
	if err != nil {
		return err
	}
	config.Log = slog.New(slog.NewTextHandler(stderr, nil))
	config.Banner = stdout
	return app.Run(ctx, config)
}
