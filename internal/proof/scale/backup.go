package scale

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"onlyonce/internal/postgres/server"
	"onlyonce/internal/proof/torture"
)

// Backup tortures the app while pgBackRest archives the log of PostgreSQL, restores a moment during that time, and checks the repeats
// of the clients.
func Backup(ctx context.Context, seed uint64, out io.Writer) error {
	if err := install(ctx, out, "pgbackrest"); err != nil {
		return err
	}
	b := &backup{}
	return judge(ctx, out, torture.Config{
		Seed: seed, Duration: time.Minute, Intents: 4000, Clients: 32, FaultEvery: time.Second,
		Archive: &torture.Archive{Start: b.start, Backup: b.run, Restore: b.restore},
	})
}

// backup runs the documented commands.
type backup struct {
	account server.Account
	config  string // path of pgBackRest's configuration
}

func (b *backup) start(ctx context.Context, dir string, database server.Config) (map[string]string, error) {
	b.account, b.config = database.Account, filepath.Join(dir, "pgbackrest.conf")
	repository, rest := filepath.Join(dir, "repository"), filepath.Join(dir, "pgbackrest")
	for _, dir := range []string{repository, rest} {
		if err := b.account.Mkdir(dir); err != nil {
			return nil, err
		}
	}
	err := configure(ctx, b.config, "deploy/pgbackrest.conf",
		"repo1-path=/var/lib/pgbackrest\n", "repo1-path="+repository+"\nlog-path="+rest+"\nlock-path="+rest+"\n",
		"/var/lib/postgresql/15/main", database.DataDir, "/run/postgresql", database.SocketDir)
	if err != nil {
		return nil, err
	}
	lines, err := block(ctx, "deploy.md", "### Archive the log", "ini")
	if err == nil {
		lines, err = place(lines, b.replaced()...)
	}
	if err != nil {
		return nil, fmt.Errorf("docs/deploy.md: %w", err)
	}
	settings := map[string]string{}
	for line := range strings.Lines(lines) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " = ")
		settings[name] = strings.Trim(value, "'")
	}
	return settings, nil
}

// replaced returns the replacements that make the documented commands use this configuration.
func (b *backup) replaced() []string {
	return []string{"pgbackrest --stanza", "pgbackrest --config=" + b.config + " --stanza"}
}

func (b *backup) run(ctx context.Context) error {
	return shell(ctx, b.account, "deploy.md", "### Archive the log", nil, b.replaced()...)
}

func (b *backup) restore(ctx context.Context, moment time.Time) error {
	env := []string{"MOMENT=" + moment.UTC().Format("2006-01-02 15:04:05.000000-07")}
	return shell(ctx, b.account, "deploy.md", "### Restore a moment", env, b.replaced()...)
}
