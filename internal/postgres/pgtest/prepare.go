package pgtest

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"

	"onlyonce/internal/postgres"
	"onlyonce/internal/postgres/server"
	"onlyonce/migrations"
)

// unused is how long a prepared data directory is kept after its last use.
const unused = 5 * 24 * time.Hour

// prepare returns a data directory whose template has the current schema and is closed to everybody, since nobody may be connected to
// a database that is being copied. It is made once, in the user's cache, for all processes that test the same migrations: they
// start on copies of it, which takes a tenth of the time.
func prepare(ctx context.Context, programs server.Programs, account server.Account) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	all := filepath.Join(cache, "onlyonce", "pgtest")
	name, err := digest(programs)
	if err != nil {
		return "", err
	}
	prepared, now := filepath.Join(all, name), time.Now()
	if err := os.Chtimes(prepared, now, now); !errors.Is(err, fs.ErrNotExist) {
		return prepared, err
	}
	if err := errors.Join(os.MkdirAll(all, 0o700), removeUnused(all, now.Add(-unused))); err != nil {
		return "", err
	}
	made, err := os.MkdirTemp(all, "making-")
	if err != nil {
		return "", err
	}
	if err := makeData(ctx, programs, account, made); err != nil {
		return "", errors.Join(err, os.RemoveAll(made))
	}
	// Two processes may have made it at once: the second finds the first one's in its way, which is as good.
	if err := os.Rename(made, prepared); err != nil {
		return prepared, errors.Join(os.Chtimes(prepared, now, now), os.RemoveAll(made))
	}
	return prepared, nil
}

// digest names what a data directory depends on.
func digest(programs server.Programs) (string, error) {
	jobs, err := rivermigrate.New(riverpgxv5.New(nil), nil)
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	fmt.Fprintln(hash, programs.Dir, programs.Major, len(jobs.AllVersions()))
	files, err := fs.Glob(migrations.FS, "*.sql")
	if err != nil {
		return "", err
	}
	for _, file := range files {
		content, err := fs.ReadFile(migrations.FS, file)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(hash, "%s %d\n%s", file, len(content), content)
	}
	return fmt.Sprintf("%x", hash.Sum(nil)[:16]), nil
}

// makeData fills the empty directory to with a data directory of a server that has stopped.
func makeData(ctx context.Context, programs server.Programs, account server.Account, to string) error {
	dir, err := account.MkdirTemp(ramdisk(), "onlyonce-test-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	data, socket := filepath.Join(dir, "data"), filepath.Join(dir, "socket")
	if err := errors.Join(account.Mkdir(data), account.Mkdir(socket)); err != nil {
		return err
	}
	if err := server.Init(ctx, programs, account, data, false, nil); err != nil {
		return err
	}
	c := &cluster{dir: socket}
	if err := c.start(ctx, programs, account, data); err != nil {
		return err
	}
	err = postgres.Migrate(ctx, server.URL(socket, server.Role, template))
	if err == nil {
		err = c.close(ctx, template)
	}
	if err := errors.Join(err, c.stop(ctx)); err != nil {
		return err
	}
	return os.CopyFS(to, os.DirFS(data))
}

// removeUnused removes what nobody has used since then, such as the data directories of migrations that have changed.
func removeUnused(all string, since time.Time) error {
	entries, err := os.ReadDir(all)
	for _, entry := range entries {
		info, gone := entry.Info()
		if gone == nil && info.ModTime().Before(since) {
			err = errors.Join(err, os.RemoveAll(filepath.Join(all, entry.Name())))
		}
	}
	return err
}
