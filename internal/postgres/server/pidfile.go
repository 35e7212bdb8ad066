package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// RunningError means that a server that this program did not start runs on the data directory.
type RunningError struct {
	DataDir string
	PID     int
}

func (e *RunningError) Error() string {
	return fmt.Sprintf("a PostgreSQL server (process %d) already runs on %s and was not started by "+
		"this program: stop it, or set DATABASE_URL to use it", e.PID, e.DataDir)
}

// ClearStalePID removes the server's pid file from dataDir if it is left from a crash and another process has its process id, which
// would keep PostgreSQL from starting. PostgreSQL clears all other leftovers itself. Restarted containers often have such a file,
// because their process ids always begin at 1.
//
// The caller must hold the lock that this program's servers inherit, so that no such server runs. If a server responds nevertheless, the
// error is a [*RunningError], and nothing is removed.
func ClearStalePID(ctx context.Context, dataDir string) error {
	path := filepath.Join(dataDir, "postmaster.pid")
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	// Process id, data directory, start time, port, socket directory, TCP address, shared memory, state.
	lines := strings.Split(string(content), "\n")
	pid, _ := strconv.Atoi(strings.TrimSpace(lines[0]))
	if pid <= 0 || errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return nil // PostgreSQL removes the file, or logs the fault in it
	}
	if len(lines) > 5 && answers(ctx, lines[3], lines[4], lines[5]) {
		return &RunningError{DataDir: dataDir, PID: pid}
	}
	return os.Remove(path)
}

// answers reports whether a server listens at the addresses of a pid file.
func answers(ctx context.Context, port, socketDir, host string) bool {
	if host == "*" || host == "0.0.0.0" || host == "::" {
		host = "localhost"
	}
	return socketDir != "" && listens(ctx, "unix", filepath.Join(socketDir, ".s.PGSQL."+port)) ||
		host != "" && listens(ctx, "tcp", net.JoinHostPort(host, port))
}

func listens(ctx context.Context, network, address string) bool {
	dialer := net.Dialer{Timeout: time.Second}
	conn, err := dialer.DialContext(ctx, network, address)
	if err == nil {
		_ = conn.Close()
	}
	return err == nil
}

// Running returns the directory of the socket of the running server on dataDir, or "" if there is none.
func Running(ctx context.Context, dataDir string) string {
	content, err := os.ReadFile(filepath.Join(dataDir, "postmaster.pid"))
	lines := strings.Split(string(content), "\n")
	if err != nil || len(lines) < 8 || strings.TrimSpace(lines[7]) != "ready" || !answers(ctx, lines[3], lines[4], "") {
		return ""
	}
	return lines[4]
}

// ErrLocked means that another process holds the lock.
var ErrLocked = errors.New("locked by another process")

// TryLock opens or makes the lock file at path and locks it. The error is [ErrLocked] if another process holds it. The lock lasts until
// every process that holds the file has closed it or ended.
func TryLock(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err == nil {
		return file, nil
	}
	_ = file.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, fmt.Errorf("%s: %w", path, ErrLocked)
	}
	return nil, fmt.Errorf("lock %s: %w", path, err)
}

// Lock waits for the lock file at path until ctx ends; the error then is [ErrLocked].
func Lock(ctx context.Context, path string) (*os.File, error) {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		file, err := TryLock(path)
		if !errors.Is(err, ErrLocked) {
			return file, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-tick.C:
		}
	}
}
