// Command server runs Onlyonce. Without any setting it starts its own PostgreSQL, fills in demo data
// and listens on 127.0.0.1:8080; app.Config lists the environment variables.
package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"onlyonce/internal/app"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "onlyonce:", err)
		os.Exit(1)
	}
}

func run() error {
	// The live heap is a few megabytes: collecting garbage less often costs little memory, and when it is
	// more for a while, garbage does not multiply it.
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(160 << 20)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	config, err := app.Environ(os.Getenv)
	if err != nil {
		return err
	}
	config.Log = slog.New(slog.NewTextHandler(os.Stderr, nil))
	config.Banner = os.Stdout
	return app.Run(ctx, config)
}
