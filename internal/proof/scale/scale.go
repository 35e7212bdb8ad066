// Package scale proves the app beyond one machine, on existing engines: behind a connection pooler, with standbys of which one takes over,
// after a restore, from one major version of PostgreSQL to another, and in cells that tenants move between. Everything runs on this
// machine, in a directory that goes afterwards. The clients and the checks are those of package torture, and the configuration files and
// commands are those of the documentation. The alert rules are tried here, too.
package scale

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"onlyonce/internal/postgres/server"
	"onlyonce/internal/proof/torture"
)

// errNoBlock means that a document has no such block of code.
var errNoBlock = errors.New("no such block of code")

// root returns the directory of the module, whose documentation has the files and the commands that are tried.
func root(ctx context.Context) (string, error) {
	module, err := exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("find the module: %w", err)
	}
	return filepath.Dir(strings.TrimSpace(string(module))), nil
}

// install installs those of the programs that this machine lacks.
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

// judge tortures the app and prints the report. The error says that something was broken, or could not be found out.
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
	text, err := document(ctx, name)
	if err != nil {
		return err
	}
	commands, err := block(text, heading, "sh")
	if err == nil {
		commands, err = place(commands, oldNew...)
	}
	if err != nil {
		return fmt.Errorf("docs/%s: %w", name, err)
	}
	shell := account.Command(ctx, "/bin/sh", "-ec", commands)
	shell.Env = append(shell.Env, env...)
	if out, err := shell.CombinedOutput(); err != nil {
		return fmt.Errorf("docs/%s, %s: %w\n%s", name, heading, err, out)
	}
	return nil
}

// place returns text with each old one replaced by the new one behind it. All replacements happen at once. It returns an error if an
// old one is missing: then the text has changed, and is not what was tried.
func place(text string, oldNew ...string) (string, error) {
	for i := 0; i < len(oldNew); i += 2 {
		if !strings.Contains(text, oldNew[i]) {
			return "", fmt.Errorf("there is no %q", oldNew[i])
		}
	}
	return strings.NewReplacer(oldNew...).Replace(text), nil
}

// block returns the first code block of a language below a heading of a document in Markdown.
func block(text, heading, language string) (string, error) {
	_, below, _ := strings.Cut(text, "\n"+heading+"\n")
	_, code, _ := strings.Cut(below, "```"+language+"\n")
	code, _, found := strings.Cut(code, "```")
	if !found {
		return "", fmt.Errorf("%w: none of %s below %q", errNoBlock, language, heading)
	}
	return code, nil
}
