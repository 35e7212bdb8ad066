package server

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

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
