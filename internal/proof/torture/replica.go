package torture

import (
	"context"
	"fmt"
	"sync"
	"syscall"
	"time"

	processes "onlyonce/internal/proof/replica"
)

// replica is one instance of the server.
type replica struct {
	processes.Replica

	busy sync.Mutex // held by one fault at a time
}

// crash kills the replica and restarts it, even if ctx ends. It reports false if another fault holds the replica.
func (r *replica) crash(ctx context.Context) (bool, error) {
	if !r.busy.TryLock() {
		return false, nil
	}
	defer r.busy.Unlock()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settling)
	defer cancel()
	if err := r.End(ctx, syscall.SIGKILL); err != nil {
		return false, err
	}
	return true, r.Revive(ctx)
}

// freeze suspends the replica for a while, as when a virtual machine is moved, and then resumes it.
func (r *replica) freeze(ctx context.Context, length time.Duration) (bool, error) {
	if !r.busy.TryLock() {
		return false, nil
	}
	defer r.busy.Unlock()
	if err := r.Signal(syscall.SIGSTOP); err != nil {
		return false, fmt.Errorf("freeze a replica: %w", err)
	}
	Pause(ctx, length)
	return true, r.Signal(syscall.SIGCONT)
}

// unlessDown calls do, unless a fault holds the replica.
func (r *replica) unlessDown(do func()) {
	if !r.busy.TryLock() {
		return
	}
	defer r.busy.Unlock()
	do()
}

// Pause waits for a duration, or until ctx ends.
func Pause(ctx context.Context, length time.Duration) {
	timer := time.NewTimer(length)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
