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

// Backup tortures the app while pgBackRest archives the log of PostgreSQL, restores a moment in the middle of it, and lets the clients ask
// again.
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

func (b *backup) start(dir string, database server.Config) (map[string]string, error) {
	b.account, b.config = database.Account, filepath.Join(dir, "pgbackrest.conf")
	repository, rest := filepath.Join(dir, "repository"), filepath.Join(dir, "pgbackrest")
	for _, dir := range []string{repository, rest} {
		if err := b.account.Mkdir(dir); err != nil {
			return nil, err
		}
	}
	ctx := context.Background()
	err := configure(ctx, b.config, "deploy/pgbackrest.conf",
		"repo1-path=/var/lib/pgbackrest\n", "repo1-path="+repository+"\nlog-path="+rest+"\nlock-path="+rest+"\n",
		"/var/lib/postgresql/15/main", database.DataDir, "/run/postgresql", database.SocketDir)
	if err != nil {
		return nil, err
	}
	text, err := b.commands(ctx, "### Archive the log", "ini")
	if err != nil {
		return nil, err
	}
	settings := map[string]string{}
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " = ")
		settings[name] = strings.Trim(value, "'")
	}
	return settings, nil
}

func (b *backup) run(ctx context.Context) error { return b.shell(ctx, "### Archive the log", "") }

func (b *backup) restore(ctx context.Context, moment time.Time) error {
	return b.shell(ctx, "### Restore a moment", moment.UTC().Format("2006-01-02 15:04:05.000000-07"))
}

// shell runs the commands below a heading of docs/deploy.md.
func (b *backup) shell(ctx context.Context, heading, moment string) error {
	commands, err := b.commands(ctx, heading, "sh")
	if err != nil {
		return err
	}
	shell := b.account.Command(ctx, "/bin/sh", "-ec", commands)
	shell.Env = append(shell.Env, "MOMENT="+moment)
	if out, err := shell.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", heading, err, out)
	}
	return nil
}

// commands returns a block of docs/deploy.md, with the path of our configuration.
func (b *backup) commands(ctx context.Context, heading, language string) (string, error) {
	text, err := document(ctx, "deploy.md")
	if err != nil {
		return "", err
	}
	commands, err := block(text, heading, language)
	if err != nil {
		return "", fmt.Errorf("docs/deploy.md: %w", err)
	}
	return strings.ReplaceAll(commands, "pgbackrest --stanza", "pgbackrest --config="+b.config+" --stanza"), nil
}
