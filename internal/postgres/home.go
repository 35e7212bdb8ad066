package postgres

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"onlyonce/internal/postgres/server"
)

// systemDir holds the data of root's servers if their user cannot reach the requested directory.
const systemDir = "/var/lib/onlyonce"

// InUseError means that another process of the app uses the directory.
type InUseError struct {
	Dir string
	PID int // 0 if unknown
}

func (e *InUseError) Error() string {
	owner := "another process"
	if e.PID != 0 {
		owner = fmt.Sprintf("process %d", e.PID)
	}
	return fmt.Sprintf("%s is in use by %s: stop that one, or choose another directory with DATA_DIR", e.Dir, owner)
}

// DataVersionError means that the data belongs to a version of PostgreSQL that is too old.
type DataVersionError struct {
	Dir   string
	Major int
}

func (e *DataVersionError) Error() string {
	return fmt.Sprintf("%s belongs to PostgreSQL %d and the app needs %d or later: it was left as it is; "+
		"move it with pg_upgrade, or choose another directory with DATA_DIR", e.Dir, e.Major, server.MinMajor)
}

// home is the directory of an embedded server, and the user that runs the server.
type home struct {
	dir     string
	account server.Account
}

func (h home) data() string    { return filepath.Join(h.dir, "postgres") }
func (h home) logFile() string { return filepath.Join(h.dir, "postgres.log") }

// findHome returns dir, which is made if it does not exist. If the server runs as an unprivileged user who cannot enter dir, it returns
// a substitute in systemDir. Existing data decides: it is used at its place, or the start fails.
func findHome(ctx context.Context, dir string, log *slog.Logger) (home, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return home{}, err
	}
	if exists(filepath.Join(dir, "PG_VERSION")) {
		return home{}, fmt.Errorf("%s is itself a PostgreSQL data directory: choose the directory that "+
			"shall hold one with DATA_DIR", dir)
	}
	wanted, err := openHome(dir)
	if err != nil {
		return home{}, err
	}
	substitute := substituteOf(dir)
	moved := os.Geteuid() == 0 && exists(filepath.Join(substitute, "postgres"))
	reachable := wanted.account.CanEnter(ctx, dir)
	switch {
	case exists(wanted.data()) && !reachable:
		return home{}, fmt.Errorf("%s cannot enter %s, where its data is: a parent directory is private",
			wanted.account, dir)
	case exists(wanted.data()), reachable && !moved:
		return wanted, nil
	}
	log.Warn("as root PostgreSQL runs as another user, who cannot enter the directory asked for: "+
		"the data lives elsewhere", "user", wanted.account, "asked", dir, "directory", substitute)
	if others, _ := filepath.Glob(filepath.Join(systemDir, "*", "postgres")); !moved && len(others) > 0 { // the pattern is right
		log.Warn("there is data that was made for other directories: if the one asked for was moved, name its data with DATA_DIR",
			"directories", others)
	}
	found, err := openHome(substitute)
	if err != nil {
		return home{}, err
	}
	return found, errors.Join(
		os.WriteFile(filepath.Join(substitute, askedName), []byte(dir), 0o600),
		os.WriteFile(filepath.Join(dir, elsewhereName), []byte(substitute), 0o600))
}

// The requested directory and its substitute name each other in these files.
const (
	elsewhereName = "elsewhere"
	askedName     = "asked"
)

// substituteOf returns the directory in systemDir that is used in place of dir. A directory that was moved keeps its substitute. A copy
// has another one as long as the original exists, so that two clones of the app don't share data.
func substituteOf(dir string) string {
	elsewhere, err := os.ReadFile(filepath.Join(dir, elsewhereName))
	if path := string(elsewhere); err == nil && filepath.Dir(path) == systemDir && standsFor(path, dir) {
		return path
	}
	for name := dir; ; name += "'" {
		sum := sha256.Sum256([]byte(name))
		if path := filepath.Join(systemDir, hex.EncodeToString(sum[:6])); standsFor(path, dir) {
			return path
		}
	}
}

// standsFor reports whether a substitute may be used for dir: no other existing directory uses it.
func standsFor(substitute, dir string) bool {
	asked, err := os.ReadFile(filepath.Join(substitute, askedName)) //nolint:gosec // it is in systemDir, which only root can change
	return err != nil || string(asked) == dir || !exists(filepath.Join(string(asked), elsewhereName))
}

// openHome makes dir if it does not exist, and selects the user for the server.
func openHome(dir string) (home, error) {
	if err := makeDir(dir); err != nil {
		return home{}, fmt.Errorf("DATABASE_URL is not set; make its directory, for which DATA_DIR may name another place: %w", err)
	}
	h := home{dir: dir}
	var err error
	h.account, err = server.ChooseAccount(h.data())
	return h, err
}

// makeDir makes dir and its missing parents. For root it makes them passable for the server's own user, regardless of the umask, and
// also directories that an earlier start made. The data itself is private.
func makeDir(dir string) error {
	if os.Geteuid() != 0 {
		return os.MkdirAll(dir, 0o700)
	}
	if exists(dir) && dir != systemDir && !exists(filepath.Join(dir, "app.lock")) {
		return nil
	}
	if !exists(dir) || filepath.Dir(dir) == systemDir {
		if err := makeDir(filepath.Dir(dir)); err != nil {
			return err
		}
	}
	const passable = 0o711
	if err := os.MkdirAll(dir, passable); err != nil {
		return err
	}
	return os.Chmod(dir, passable)
}

// claim makes this process the only one that uses the directory, until it closes the file or ends. The error is an [*InUseError] if
// another process uses it.
func (h home) claim(ctx context.Context, log *slog.Logger) (*os.File, error) {
	path := filepath.Join(h.dir, "app.lock")
	lock, err := server.TryLock(path)
	if errors.Is(err, server.ErrLocked) {
		lock, err = h.takeOver(ctx, path, log)
	}
	if err != nil {
		return nil, err
	}
	if err := lock.Truncate(0); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	if _, err := lock.WriteAt(fmt.Appendln(nil, os.Getpid()), 0); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return lock, nil
}

// takeOver takes the lock at path from a killed app. A program that the app was starting at that moment has inherited its files, and
// holds the lock a little longer. The error is an [*InUseError] if the owner runs, or the lock is held for more than 10 seconds.
func (h home) takeOver(ctx context.Context, path string, log *slog.Logger) (*os.File, error) {
	const patience = 10 * time.Second
	inUse := func() *InUseError {
		owner, _ := os.ReadFile(path)
		pid, _ := strconv.Atoi(string(bytes.TrimSpace(owner)))
		return &InUseError{Dir: h.dir, PID: pid}
	}
	if by := inUse(); by.PID == 0 || !errors.Is(syscall.Kill(by.PID, 0), syscall.ESRCH) {
		return nil, by
	}
	log.Info("waiting for what a killed app has left to end", "directory", h.dir)
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	lock, err := server.Lock(waiting, path)
	if errors.Is(err, server.ErrLocked) {
		return nil, inUse()
	}
	return lock, err
}

// lockServer takes the lock that every process of a server holds. It waits for a server that is still stopping because its app was
// killed.
func (h home) lockServer(ctx context.Context, log *slog.Logger) (*os.File, error) {
	const patience = 30 * time.Second
	path := filepath.Join(h.dir, "server.lock")
	lock, err := server.TryLock(path)
	if !errors.Is(err, server.ErrLocked) {
		return lock, err
	}
	log.Info("waiting for an earlier PostgreSQL to stop", "directory", h.dir)
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	lock, err = server.Lock(waiting, path)
	if errors.Is(err, server.ErrLocked) {
		return nil, fmt.Errorf("an earlier PostgreSQL still works on %s (its process id is in "+
			"postmaster.pid there): %w", h.data(), err)
	}
	return lock, err
}

// create makes the data directory. It is renamed to its final name when it is complete, and never replaces another one.
func (h home) create(ctx context.Context, programs server.Programs, log *slog.Logger) error {
	const scratchName = "postgres.new-"
	lock, err := h.lockServer(ctx, log)
	if err != nil {
		return err
	}
	defer lock.Close()
	log.Info("making a PostgreSQL data directory", "directory", h.data(), "version", programs.Major)

	// No other process uses the remains of earlier attempts while this one has the lock, and they never held data in use.
	entries, err := os.ReadDir(h.dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), scratchName) {
			continue
		}
		if err := os.RemoveAll(filepath.Join(h.dir, entry.Name())); err != nil {
			return err
		}
	}
	scratch, err := h.account.MkdirTemp(h.dir, scratchName)
	if err != nil {
		return err
	}
	if err := server.Init(ctx, programs, h.account, scratch, true, lock); err != nil {
		return errors.Join(err, os.RemoveAll(scratch))
	}
	if err := os.Rename(scratch, h.data()); err != nil {
		return errors.Join(err, os.RemoveAll(scratch))
	}
	return syncDir(h.dir)
}

func exists(path string) bool {
	_, err := os.Lstat(path) //nolint:gosec // the content is not read
	return err == nil
}

// syncDir makes a rename in dir survive a power failure.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
