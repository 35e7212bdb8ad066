package lab

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"onlyonce/internal/postgres/server"
	"onlyonce/internal/proof/replica"
)

// site holds the processes and files of the lab. They are removed when this program ends, even if it is killed.
type site struct {
	account  server.Account
	programs server.Programs
	dir      string // holds all files
	leash    *replica.Leash
	cleaner  *cleaner
	cluster  *cluster
}

// newSite starts a site in a directory. On an error it leaves nothing behind.
func newSite(ctx context.Context, parent string) (_ *site, err error) {
	s := &site{}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.stop(context.WithoutCancel(ctx)))
		}
	}()
	if s.account, err = server.ChooseAccount(""); err != nil {
		return nil, err
	}
	if s.programs, err = server.Locate(ctx, s.account, 0); err != nil {
		return nil, err
	}
	if s.dir, err = s.account.MkdirTemp(parent, "onlyonce-lab-"); err != nil {
		return nil, err
	}
	if s.cleaner, err = newCleaner(ctx, s.dir); err != nil {
		return nil, err
	}
	if s.leash, err = replica.NewLeash(ctx); err != nil {
		return nil, err
	}
	if s.cluster, err = s.startCluster(ctx, "all"); err != nil {
		return nil, err
	}
	return s, nil
}

// stop ends all processes. The directory is removed with them.
func (s *site) stop(ctx context.Context) error {
	var errs []error
	if s.leash != nil {
		s.leash.Release()
	}
	if s.cluster != nil {
		errs = append(errs, s.cluster.stop(ctx))
	}
	if s.dir != "" {
		errs = append(errs, os.RemoveAll(s.dir))
	}
	if s.cleaner != nil {
		_ = s.cleaner.pipe.Close()
		_ = s.cleaner.cmd.Wait() // files that it could not remove stay
	}
	return errors.Join(errs...)
}

// cleaner is a process that removes a directory when this program has ended, even by kill -9: the kernel then closes the pipe that
// it reads.
type cleaner struct {
	pipe io.Closer
	cmd  *exec.Cmd
}

// clean waits five seconds for the servers to stop; each removes its own directory. Then it removes the rest, for up to a minute,
// because a program that was creating a database still adds files.
const clean = `
	cat
	n=0
	while [ -e "$1" ] && [ $n -lt 120 ]; do
		if [ $n -lt 10 ]; then rmdir -- "$1"; else rm -rf -- "$1"; fi 2>/dev/null
		n=$((n + 1))
		sleep 0.5
	done`

func newCleaner(ctx context.Context, dir string) (*cleaner, error) {
	cmd := exec.CommandContext(context.WithoutCancel(ctx), "/bin/sh", "-c", clean, "cleaner", dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	pipe, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("start the cleaner of %s: %w", dir, err)
	}
	return &cleaner{pipe: pipe, cmd: cmd}, nil
}

const (
	roomInMemory = 1 << 30   // least free space of a directory in memory
	leastRoom    = 200 << 20 // least free space of a directory, unless Config.Room is set
)

// place returns a directory in memory if there is room, else /tmp. It is not [os.TempDir], whose path may be too long for a socket.
// The error is an [UnavailableError].
func place(dir string, least int64) (string, error) {
	if dir == "" {
		dir = "/tmp"
		if free, err := freeSpace("/dev/shm"); err == nil && free >= roomInMemory {
			dir = "/dev/shm"
		}
	}
	free, err := freeSpace(dir)
	if err != nil {
		return "", &UnavailableError{Reason: "It can't find a directory for its database.", Err: err}
	}
	if free < least {
		return "", &UnavailableError{
			Reason: fmt.Sprintf("Its database needs %d MB, and %s has %d MB free.", least>>20, filepath.Clean(dir), free>>20),
		}
	}
	return dir, nil
}

func freeSpace(dir string) (int64, error) {
	var stat syscall.Statfs_t
	if err := syscall.Statfs(dir, &stat); err != nil {
		return 0, fmt.Errorf("look for room in %s: %w", dir, err)
	}
	return int64(stat.Bavail) * int64(stat.Bsize), nil //nolint:gosec,unconvert // the types differ between systems
}
