// Command dev runs the app and changes it with its files; see package dev. Run it in the repository. It has the
// environment of the app: ADDR, DATABASE_URL and DATA_DIR say where, and the app gets the rest.
package main

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"onlyonce/internal/dev"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "dev:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	return dev.Run(ctx, dev.Config{
		Dir: dir, Addr: cmp.Or(os.Getenv("ADDR"), "127.0.0.1:8080"), DatabaseURL: os.Getenv("DATABASE_URL"),
		DataDir: cmp.Or(os.Getenv("DATA_DIR"), ".data"), Out: os.Stdout, Log: slog.New(slog.NewTextHandler(os.Stderr, nil)),
	})
}
