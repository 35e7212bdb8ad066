package torture

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"onlyonce/internal/postgres/server"
	processes "onlyonce/internal/proof/replica"
)

// replica is one instance of the server.
type replica struct {
	processes.Replica

	busy sync.Mutex // held by one fault at a time
}

// unlessHeld calls do, and reports whether it did: it does nothing while another fault holds the lock.
func unlessHeld(lock *sync.Mutex, do func() error) (bool, error) {
	if !lock.TryLock() {
		return false, nil
	}
	defer lock.Unlock()
	return true, do()
}

// crash kills the replica and restarts it, even if ctx ends. It reports false if another fault holds the replica.
func (r *replica) crash(ctx context.Context) (bool, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settling)
	defer cancel()
	return unlessHeld(&r.busy, func() error {
		if err := r.End(ctx, syscall.SIGKILL); err != nil {
			return err
		}
		return r.Revive(ctx)
	})
}

// freeze suspends the replica for a while, as when a virtual machine is moved, and then resumes it.
func (r *replica) freeze(ctx context.Context, length time.Duration) (bool, error) {
	return unlessHeld(&r.busy, func() error {
		if err := r.Signal(syscall.SIGSTOP); err != nil {
			return fmt.Errorf("freeze a replica: %w", err)
		}
		Pause(ctx, length)
		return r.Signal(syscall.SIGCONT)
	})
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

// upgrade simulates a new version that starts with an earlier one's data. It kills both replicas, reverts the newest migration, and
// starts both at once, so that each finds it pending. It reports false if another fault holds one of the replicas.
func (w *world) upgrade(ctx context.Context) (bool, error) {
	for _, r := range w.replicas {
		if !r.busy.TryLock() {
			return false, nil
		}
		defer r.busy.Unlock()
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settling)
	defer cancel()
	if err := w.killReplicas(ctx); err != nil {
		return false, err
	}
	if err := w.db.takeBack(ctx, filepath.Join(w.dir, "migrations")); err != nil {
		return false, err
	}
	return true, w.revive(ctx)
}

// takeBack reverts the newest migration in dir. It retries until it succeeds, because faults may hit it, too.
func (d *database) takeBack(ctx context.Context, dir string) error {
	// Directly, without the proxies, but as the app's role, which must own the objects of a migration.
	config, err := server.Parse(server.URL(d.config.SocketDir, server.Role, server.Database))
	if err != nil {
		return fmt.Errorf("connect as the app: %w", err)
	}
	db := stdlib.OpenDB(*config.ConnConfig)
	defer db.Close()
	provider, err := goose.NewProvider(goose.DialectPostgres, db, os.DirFS(dir))
	if err != nil {
		return fmt.Errorf("read the migrations: %w", err)
	}
	all := provider.ListSources()
	target := all[len(all)-2].Version
	for {
		_, err := provider.DownTo(ctx, target)
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return fmt.Errorf("take migrations back to %d: %w", target, err)
		}
		Pause(ctx, 100*time.Millisecond)
	}
}
