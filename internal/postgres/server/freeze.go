package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// Postmaster returns the process id of the server on dataDir, from its pid file.
func Postmaster(dataDir string) (pid int, err error) {
	content, err := os.ReadFile(filepath.Join(dataDir, "postmaster.pid"))
	if err != nil {
		return 0, err
	}
	first, _, _ := strings.Cut(string(content), "\n")
	if pid, err = strconv.Atoi(strings.TrimSpace(first)); err != nil {
		return 0, fmt.Errorf("pid file of PostgreSQL: %w", err)
	}
	return pid, nil
}

// Freeze suspends every process of the server on dataDir, as when its machine or its disk hangs: connections stay open, without
// answers. [Thaw] resumes them. It is for tests.
func Freeze(ctx context.Context, dataDir string) error {
	postmaster, err := Postmaster(dataDir)
	if err != nil {
		return err
	}
	// The postmaster first, because it would start others.
	if err := syscall.Kill(postmaster, syscall.SIGSTOP); err != nil {
		return fmt.Errorf("freeze PostgreSQL: %w", err)
	}
	return signalChildren(ctx, postmaster, syscall.SIGSTOP)
}

// Thaw undoes [Freeze].
func Thaw(ctx context.Context, dataDir string) error {
	postmaster, err := Postmaster(dataDir)
	if err != nil {
		return err
	}
	err = signalChildren(ctx, postmaster, syscall.SIGCONT)
	return errors.Join(err, syscall.Kill(postmaster, syscall.SIGCONT))
}

// Kill ends every process of the server on dataDir at once, as in a power failure. It is for tests.
func Kill(ctx context.Context, dataDir string) error {
	postmaster, err := Postmaster(dataDir)
	if err != nil {
		return err
	}
	if err := Freeze(ctx, dataDir); err != nil { // the postmaster must not notice the end of a child
		return err
	}
	err = signalChildren(ctx, postmaster, syscall.SIGKILL)
	return errors.Join(err, syscall.Kill(postmaster, syscall.SIGKILL))
}

// signalChildren sends the signal to each child of the postmaster by its process id, because each has its own process group.
func signalChildren(ctx context.Context, postmaster int, signal syscall.Signal) error {
	list, err := exec.CommandContext(ctx, "ps", "-A", "-o", "pid=", "-o", "ppid=").Output()
	if err != nil {
		return fmt.Errorf("list the processes of PostgreSQL: %w", err)
	}
	for line := range bytes.Lines(list) {
		var pid, parent int
		if _, err := fmt.Sscan(string(line), &pid, &parent); err != nil || parent != postmaster {
			continue
		}
		if err := syscall.Kill(pid, signal); err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("signal a process of PostgreSQL: %w", err)
		}
	}
	return nil
}
