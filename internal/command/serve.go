package command

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/coreos/go-systemd/v22/activation"

	"onlyonce/internal/app"
	"onlyonce/internal/postgres"
)

type serve struct{}

// Run serves until ctx is done.
func (serve) Run(ctx context.Context, t *terminal) error {
	// The live heap is some 15 MB, and more than half are copies of intents, so collecting garbage less often costs little more.
	// The soft limit makes Go collect more often when large requests need more for a while.
	if t.getenv("GOGC") == "" {
		debug.SetGCPercent(125)
	}
	if t.getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(160 << 20)
	}
	config, err := app.Environ(t.getenv)
	if err != nil {
		return err
	}
	config.Log = slog.New(logHandler(t.stderr, config.JSONLog))
	config.Banner = t.stdout
	config.Command = command()
	config.Site = t.site
	if config.Listener, err = passed(); err != nil {
		return err
	}
	if config.Listener != nil {
		config.Addr = app.AddressOf(config.Listener)
	}
	_, warnings := config.Contradictions(t.getenv)
	for _, warning := range append(warnings, app.Misspelt(t.environ)...) {
		config.Log.Warn("settings", "warning", warning)
	}
	return app.Run(ctx, config)
}

// command returns the command by which a shell runs this program. The executable of go run is in a temporary directory.
func command() string {
	path, err := os.Executable()
	if err != nil || strings.Contains(path, "/go-build") {
		return "go run ./cmd/" + filepath.Base(path)
	}
	return filepath.Base(path) // the login page shows it, and must not reveal the installation directory to strangers
}

func logHandler(w io.Writer, asJSON bool) slog.Handler {
	if asJSON {
		return slog.NewJSONHandler(w, nil)
	}
	return slog.NewTextHandler(w, nil)
}

// passed returns the socket that systemd has opened for the program, or nil (sd_listen_fds(3)).
func passed() (net.Listener, error) {
	listeners, err := activation.Listeners()
	switch {
	case err != nil:
		return nil, fmt.Errorf("take the socket of systemd: %w", err)
	case len(listeners) > 1:
		return nil, fmt.Errorf("systemd has passed %d sockets: the app takes one", len(listeners))
	case len(listeners) == 0:
		return nil, nil //nolint:nilnil // no socket is no failure
	default:
		return listeners[0], nil
	}
}

type migrate struct{}

// Run migrates, and prints the differences from the schema of the migrations.
func (migrate) Run(ctx context.Context, t *terminal) error {
	return t.withURL(ctx, func(url string) error {
		if err := postgres.Migrate(ctx, url, slog.New(slog.NewTextHandler(t.stderr, nil))); err != nil {
			return err
		}
		pool, err := postgres.OpenSmall(ctx, url, 1)
		if err != nil {
			return err
		}
		defer pool.Close()
		differences, err := postgres.Differences(ctx, pool)
		if err != nil {
			return err
		}
		if len(differences) > 0 {
			return t.print(map[string]any{"migrated": true, "differences": differences},
				"All migrations of this program have run, but something has changed since:\n"+strings.Join(differences, "\n"))
		}
		return t.print(map[string]any{"migrated": true}, "The schema is that of this program.")
	})
}
