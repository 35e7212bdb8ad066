package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/app"
	"onlyonce/internal/postgres"
)

// terminal is the environment of a command. Results go to stdout, and everything else to stderr.
type terminal struct {
	site           app.Site
	environ        []string // NAME=value, as in [os.Environ]
	stdin          io.Reader
	stdout, stderr io.Writer
	json           bool
}

// getenv returns the value of an environment variable, or "".
func (t *terminal) getenv(name string) string {
	for _, pair := range t.environ {
		if value, ok := strings.CutPrefix(pair, name+"="); ok {
			return value
		}
	}
	return ""
}

// print writes the result of a command to stdout: value as JSON, or else a line for people.
func (t *terminal) print(value any, line string) error {
	if t.json {
		encoder := json.NewEncoder(t.stdout)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(value); err != nil {
			return fmt.Errorf("print: %w", err)
		}
		return nil
	}
	if _, err := fmt.Fprintln(t.stdout, line); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}

// say writes messages for people, other than results, to stderr.
func (t *terminal) say(text string) { fmt.Fprintln(t.stderr, program+":", text) }

// withURL calls work with the address of the app's database.
func (t *terminal) withURL(ctx context.Context, work func(url string) error) error {
	config, err := app.Environ(t.getenv)
	if err != nil {
		return err
	}
	if config.DatabaseURL != "" {
		return work(config.DatabaseURL)
	}
	log := slog.New(slog.NewTextHandler(t.stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	visit, err := postgres.VisitEmbedded(ctx, config.DataDir, log)
	if err != nil {
		return err
	}
	if visit.Started {
		t.say("DATABASE_URL is not set: the embedded PostgreSQL in " + config.DataDir + " was started for this command and stops with it")
	} else {
		t.say("DATABASE_URL is not set: using the PostgreSQL of the app that runs on " + config.DataDir)
	}
	err = work(visit.URL)
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
	defer cancel()
	return errors.Join(err, visit.End(ending))
}

// commandTimeout bounds a command's work in the database, including the time to type a password.
const commandTimeout = 5 * time.Minute

// withPool calls work with the app's database, which must have the schema of this program.
func (t *terminal) withPool(ctx context.Context, work func(context.Context, *pgxpool.Pool) error) error {
	return t.withPoolFor(ctx, commandTimeout, work)
}

// withPoolFor is withPool for work that may take as long as limit.
func (t *terminal) withPoolFor(ctx context.Context, limit time.Duration, work func(context.Context, *pgxpool.Pool) error) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return t.withURL(ctx, func(url string) error {
		pool, err := postgres.OpenSmall(ctx, url, 1)
		if err != nil {
			return err
		}
		defer pool.Close()
		if err := postgres.SchemaCurrent(ctx, pool); err != nil {
			return err
		}
		return work(ctx, pool)
	})
}

// printAll writes a list to stdout: as one JSON array, or else a line for each value.
func (t *terminal) printAll(values any, lines []string) error {
	if t.json {
		return t.print(values, "")
	}
	for _, line := range lines {
		if err := t.print(nil, line); err != nil {
			return err
		}
	}
	return nil
}
