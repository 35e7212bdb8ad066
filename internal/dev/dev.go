package dev

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"onlyonce/internal/postgres"
)

// Config says what to run and where.
type Config struct {
	Dir         string    // the top directory of the module
	Addr        string    // where the pages are, as host:port
	DatabaseURL string    // empty for an embedded PostgreSQL
	DataDir     string    // of the embedded PostgreSQL
	Out         io.Writer // gets what the app and the compiler print
	Log         *slog.Logger
}

// Run runs the app and changes it with the files, until ctx is done.
func Run(ctx context.Context, c Config) (err error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", c.Addr)
	if err != nil {
		return fmt.Errorf("listen at ADDR: %w", err)
	}
	defer listener.Close()
	c.Addr = listener.Addr().String()
	if c.DatabaseURL == "" {
		embedded, err := postgres.StartEmbedded(ctx, c.DataDir, c.Log)
		if err != nil {
			return err
		}
		defer func() {
			stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
			defer cancel()
			err = errors.Join(err, embedded.Stop(stopping))
		}()
		c.DatabaseURL = embedded.URL()
	}
	scratch, err := os.MkdirTemp("", "dev-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	// Where templ keeps the texts of the templates: for its generator here, and for the app.
	if err := os.Setenv("TEMPL_DEV_MODE_ROOT", scratch); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	site := NewSite(filepath.Join(c.Dir, "static"))
	server := &http.Server{Handler: site, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(listener) }()
	defer server.Close()
	c.Log.Info("watching", "directory", c.Dir, "pages", "http://"+c.Addr)

	app := &app{config: c, program: filepath.Join(scratch, "server")}
	defer app.stop()
	return watch(ctx, c.Dir, c.Log, func(changed *changes) {
		began := time.Now()
		wrong := changed.wrong()
		if wrong == "" && changed.stale {
			address, err := app.restart(ctx)
			if err != nil {
				wrong = err.Error()
			} else {
				changed.stale = false
				site.Serve(address)
			}
		}
		switch {
		case ctx.Err() != nil:
		case wrong != "":
			fmt.Fprintln(c.Out, wrong)
			site.Fail(wrong)
		default:
			site.Reload()
			c.Log.Info("ready", "took", time.Since(began).Round(time.Millisecond))
		}
	})
}
