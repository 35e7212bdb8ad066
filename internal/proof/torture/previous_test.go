package torture

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// errNoHistory is returned if the previous version cannot be found, as in a shallow clone, or this version refuses its database.
var errNoHistory = errors.New("no history")

// previous builds the last version before the newest migration, and returns its program. The user's cache keeps it, so that a
// machine builds it once. The error is [errNoHistory] if there is no such version.
func previous(t *testing.T) (program string, err error) {
	t.Helper()
	module, err := output(t.Context(), "", "go", "env", "GOMOD")
	if err != nil {
		return "", err
	}
	root := filepath.Dir(module)
	commit, err := beforeNewestMigration(t.Context(), root)
	if err != nil {
		return "", fmt.Errorf("%w: %w", errNoHistory, err)
	}
	gone, err := output(t.Context(), root, "git", "-c", "safe.directory=*",
		"diff", "--no-renames", "--diff-filter=DM", "--name-only", commit, "--", "migrations/*.sql")
	if err != nil || gone != "" {
		return "", errors.Join(fmt.Errorf("%w: %s has migrations that this version does not have, or not so", errNoHistory, commit), err)
	}
	t.Logf("the previous version is %s", commit)
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	program = filepath.Join(cache, "onlyonce", "versions", commit, "server")
	if _, err := os.Stat(program); err == nil {
		return program, nil
	}
	return program, buildCommit(t.Context(), root, commit, program)
}

// beforeNewestMigration returns the commit before the merge that added the newest migration, or HEAD if a migration is not
// committed.
func beforeNewestMigration(ctx context.Context, root string) (commit string, err error) {
	const all = "migrations/*.sql"
	uncommitted, err := output(ctx, root, "git", "-c", "safe.directory=*", "ls-files", "--others", "--", all)
	if err != nil || uncommitted != "" {
		commit, last := output(ctx, root, "git", "-c", "safe.directory=*", "rev-parse", "--verify", "HEAD")
		return commit, errors.Join(err, last)
	}
	brought, err := output(ctx, root, "git", "-c", "safe.directory=*",
		"log", "-1", "--first-parent", "-m", "--diff-filter=A", "--format=%H", "--", all)
	if err != nil {
		return "", err
	}
	return output(ctx, root, "git", "-c", "safe.directory=*", "rev-parse", "--verify", brought+"^")
}

func buildCommit(ctx context.Context, root, commit, program string) error {
	if err := os.MkdirAll(filepath.Dir(program), 0o700); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(filepath.Dir(program), "build-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for _, step := range [][]string{
		{"git", "-c", "safe.directory=*", "-C", root, "archive", "--output=" + dir + "/source.tar", commit},
		{"tar", "-xf", dir + "/source.tar", "-C", dir},
		{"go", "build", "-C", dir, "-buildvcs=false", "-o", dir + "/server", "./cmd/server"},
	} {
		if _, err := output(ctx, "", step[0], step[1:]...); err != nil {
			return err
		}
	}
	return os.Rename(dir+"/server", program)
}

func output(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return "", fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, exit.Stderr)
	}
	return strings.TrimSpace(string(out)), err
}
