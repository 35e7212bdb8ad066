// Package scale tests the app on more than one machine's servers: behind a connection pooler, with standbys and a failover, after a
// restore, during an upgrade to another major version of PostgreSQL, and in cells between which tenants move. All servers run on this
// machine, in a directory that is removed afterwards. Package torture has the clients and the checks, and the documentation has the
// configuration files and commands. The alert rules are tested as well.
package scale

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"onlyonce/internal/postgres/server"
	"onlyonce/internal/proof/torture"
)

// root returns the directory of the module, whose documentation has the files and commands under test.
func root(ctx context.Context) (string, error) {
	module, err := exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("find the module: %w", err)
	}
	return filepath.Dir(strings.TrimSpace(string(module))), nil
}

// install installs the programs that this machine lacks.
func install(ctx context.Context, out io.Writer, programs ...string) error {
	dir, err := root(ctx)
	if err != nil {
		return err
	}
	setup := exec.CommandContext(ctx, filepath.Join(dir, "internal", "proof", "scale", "setup"), programs...)
	setup.Stdout, setup.Stderr = out, out
	if err := setup.Run(); err != nil {
		return fmt.Errorf("install %s: %w", strings.Join(programs, ", "), err)
	}
	return nil
}

// inOrder calls functions until one fails.
func inOrder(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// pause returns a step that waits for a duration, or until ctx ends.
func pause(ctx context.Context, length time.Duration) func() error {
	return func() error {
		torture.Pause(ctx, length)
		return nil
	}
}

// judge tortures the app and prints the report. It returns an error for each violation, and for each check that was not possible.
func judge(ctx context.Context, out io.Writer, cfg torture.Config) error {
	report, err := torture.Run(ctx, cfg)
	if err != nil {
		return err
	}
	if err := report.Print(out); err != nil {
		return err
	}
	return report.Err()
}

// document reads a file in docs.
func document(ctx context.Context, name string) (string, error) {
	dir, err := root(ctx)
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(filepath.Join(dir, "docs", filepath.FromSlash(name)))
	return string(text), err
}

// shell runs the commands below a heading of a document, as the account and with replacements.
func shell(ctx context.Context, account server.Account, name, heading string, env []string, oldNew ...string) error {
	commands, err := block(ctx, name, heading, "sh")
	if err != nil {
		return err
	}
	return script(ctx, account, name+", "+heading, commands, env, oldNew...)
}

// run runs a script in docs, like shell.
func run(ctx context.Context, account server.Account, name string, env []string, oldNew ...string) error {
	commands, err := document(ctx, name)
	if err != nil {
		return err
	}
	return script(ctx, account, name, commands, env, oldNew...)
}

func script(ctx context.Context, account server.Account, name, commands string, env []string, oldNew ...string) error {
	commands, err := place(commands, oldNew...)
	if err != nil {
		return fmt.Errorf("docs/%s: %w", name, err)
	}
	shell := account.Command(ctx, "/bin/sh", "-ec", commands)
	shell.Env = append(shell.Env, env...)
	if out, err := shell.CombinedOutput(); err != nil {
		return fmt.Errorf("docs/%s: %w\n%s", name, err, out)
	}
	return nil
}

// execute runs the SQL below a heading of a document, statement by statement.
func execute(ctx context.Context, url, name, heading string) error {
	commands, err := block(ctx, name, heading, "sql")
	if err != nil {
		return err
	}
	conn, err := server.Connect(ctx, url)
	if err != nil {
		return fmt.Errorf("docs/%s, %s: %w", name, heading, err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	for command := range strings.SplitSeq(strings.TrimSpace(commands), ";") {
		if _, err := conn.Exec(ctx, command); err != nil {
			return fmt.Errorf("docs/%s, %s: %w", name, heading, err)
		}
	}
	return nil
}

// place returns text with replacements, given as pairs of an old and a new string. It returns an error if an old string is missing,
// because the documentation then has changed.
func place(text string, oldNew ...string) (string, error) {
	for i := 0; i < len(oldNew); i += 2 {
		if !strings.Contains(text, oldNew[i]) {
			return "", fmt.Errorf("there is no %q", oldNew[i])
		}
	}
	return strings.NewReplacer(oldNew...).Replace(text), nil
}

// configure writes a file of the documentation to file, with replacements.
func configure(ctx context.Context, file, name string, oldNew ...string) error {
	text, err := document(ctx, name)
	if err != nil {
		return err
	}
	placed, err := place(text, oldNew...)
	if err != nil {
		return fmt.Errorf("docs/%s: %w", name, err)
	}
	return os.WriteFile(file, []byte(placed), 0o644) //nolint:gosec // the account reads it, in its own directory
}

// block returns the first code block of a language below a heading of a document.
func block(ctx context.Context, name, heading, language string) (string, error) {
	text, err := document(ctx, name)
	if err != nil {
		return "", err
	}
	_, below, _ := strings.Cut(text, "\n"+heading+"\n")
	_, code, _ := strings.Cut(below, "```"+language+"\n")
	code, _, found := strings.Cut(code, "```")
	if !found {
		return "", fmt.Errorf("docs/%s has no block of %s below %q", name, language, heading)
	}
	return code, nil
}
