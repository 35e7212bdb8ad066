package command

import (
	"context"
	"errors"
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

type upgradeDatabase struct{}

// Run moves the embedded database to the newest PostgreSQL.
func (upgradeDatabase) Run(ctx context.Context, t *terminal) error {
	config, err := app.Environ(t.getenv)
	if err != nil {
		return err
	}
	if config.DatabaseURL != "" {
		return errors.New("DATABASE_URL is set, and this command is for the embedded database: see docs/upgrade.md for other servers")
	}
	u, err := postgres.UpgradeEmbedded(ctx, config.DataDir, slog.New(slog.NewTextHandler(t.stderr, nil)))
	if err != nil {
		return err
	}
	line := fmt.Sprintf("The data belongs to PostgreSQL %d, and no later one is installed.", u.To)
	if u.Kept != "" {
		line = fmt.Sprintf("The data belongs to PostgreSQL %d now. That of PostgreSQL %d is kept in %s: remove it when all is well.",
			u.To, u.From, u.Kept)
	}
	return t.print(struct {
		postgres.Upgrade

		Outcome string `json:"outcome"`
	}{u, outcome(u.Kept != "", "upgraded")}, line)
}

type routes struct{}

// route is a line of the list of routes.
type route struct {
	Method string `json:"method"`
	Path   string `json:"path"`
	Repeat string `json:"repeat"` // read, once or natural
	Why    string `json:"why"`    // the operation, or the reason why a repeat changes nothing more
	Source string `json:"source"` // the file and line that register it
}

// Run prints every route, and the treatment of its repeats. It needs no database.
func (routes) Run(t *terminal) error {
	registered, err := t.site.Routes()
	if err != nil {
		return err
	}
	var all []route
	var lines []string
	for _, r := range registered {
		all = append(all, route{r.Method, r.Path, string(r.Repeat), r.Why, r.Source})
		lines = append(lines, fmt.Sprintf("%-5s  %-45s  %-7s  %-60s  %s", r.Method, r.Path, r.Repeat, r.Why, r.Source))
	}
	return t.printAll(all, lines)
}
