package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	// Superuser administers the server. The app never connects as it, because row-level security and privileges do not bind a
	// superuser.
	Superuser = "postgres"
	// Role is the app's role. It is no superuser, so row-level security binds it.
	Role = "onlyonce"
	// Database is the app's database, owned by [Role].
	Database = "onlyonce"
)

// Init makes a new data directory, with [Role] and [Database], in dir, which is empty and belongs to the account. If durable is set, it
// is on disk when Init returns. The programs inherit lock, which may be nil. The error is an [*InitError], also if the programs have
// not ended after 10 minutes.
func Init(ctx context.Context, programs Programs, account Account, dir string, durable bool, lock *os.File) error {
	ctx, cancel := context.WithTimeoutCause(ctx, 10*time.Minute, errors.New("not done after 10 minutes"))
	defer cancel()
	args := []string{
		"--pgdata", dir,
		"--username", Superuser,
		"--auth-local", "trust", // the socket's directory is private
		"--auth-host", "reject",
		"--encoding", "UTF8",
		"--locale", locale(),
		"--lc-messages", "C",
		"--no-instructions",
	}
	if durable {
		args = append(args, "--data-checksums")
	} else {
		args = append(args, "--no-sync")
	}
	initdb := account.Command(ctx, filepath.Join(programs.Dir, "initdb"), args...)
	initdb.ExtraFiles = []*os.File{lock}
	if err := run(ctx, initdb, account, dir); err != nil {
		return err
	}

	// Single-user mode, because no client can connect before it is complete.
	single := account.Command(ctx, filepath.Join(programs.Dir, "postgres"), "--single", "-j",
		"-D", dir, "-c", "exit_on_error=on", "-c", "fsync="+strconv.FormatBool(durable), "postgres")
	single.ExtraFiles = []*os.File{lock}
	single.Stdin = strings.NewReader(
		"CREATE ROLE " + Role + " LOGIN;\n\n" +
			"CREATE DATABASE " + Database + " OWNER " + Role + ";\n\n")
	return run(ctx, single, account, dir)
}

// MajorOf returns the major version that the data directory dir belongs to. The error is [fs.ErrNotExist] if dir does not exist, and
// another one if dir is no data directory.
func MajorOf(dir string) (int, error) {
	if _, err := os.Stat(dir); err != nil {
		return 0, err
	}
	version, err := os.ReadFile(filepath.Join(dir, "PG_VERSION"))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, fmt.Errorf("%s exists and is not a PostgreSQL data directory (it was left as it is)", dir)
	}
	if err != nil {
		return 0, err
	}
	major, err := strconv.Atoi(strings.TrimSpace(string(version)))
	if err != nil {
		return 0, fmt.Errorf("%s: %w", filepath.Join(dir, "PG_VERSION"), err)
	}
	return major, nil
}

func run(ctx context.Context, cmd *exec.Cmd, account Account, dir string) error {
	cmd.WaitDelay = time.Second // a child of the program may keep its output open
	out, err := cmd.CombinedOutput()
	if err == nil {
		return nil
	}
	failed := &InitError{
		Dir: dir, Account: account, Program: filepath.Base(cmd.Path), Output: strings.TrimSpace(string(out)),
		Err: cmp.Or(context.Cause(ctx), err),
	}
	var disk syscall.Statfs_t
	if err := syscall.Statfs(dir, &disk); err == nil {
		failed.Free = int64(disk.Bavail) * int64(disk.Bsize) / 1e6 //nolint:gosec,unconvert // types differ between systems
	}
	return failed
}

// locale returns a locale that sorts by code point and classifies the letters of all languages. Only macOS has none.
func locale() string {
	if runtime.GOOS == "darwin" {
		return "en_US.UTF-8"
	}
	return "C.UTF-8"
}

// needed is the size of a new data directory in megabytes, with some room.
const needed = 100

// InitError means that a new data directory could not be made. It was never used.
type InitError struct {
	Dir     string
	Account Account // the account that must be able to write in Dir
	Free    int64   // megabytes on the disk of Dir after the failure; 0 if unknown
	Program string  // the program that failed
	Output  string  // its output
	Err     error   // its exit status, or the reason why it was ended
}

func (e *InitError) Error() string {
	space := ""
	if e.Free > 0 && e.Free < needed {
		space = fmt.Sprintf(" (only %d MB are free there, and it takes %d)", e.Free, needed)
	}
	return fmt.Sprintf("could not make a PostgreSQL data directory: %s ended with %v%s. Ways on: make sure that there is "+
		"room on the disk and that %s may write to %s, name another directory with DATA_DIR, or set DATABASE_URL to a "+
		"PostgreSQL of your own. %[1]s said:\n%[6]s", e.Program, e.Err, space, e.Account, e.Dir, lastLines(e.Output, 6))
}

// Unwrap returns e.Err.
func (e *InitError) Unwrap() error { return e.Err }
