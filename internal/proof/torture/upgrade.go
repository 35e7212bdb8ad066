package torture

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"onlyonce/internal/postgres/server"
)

// upgrade is what a new version of the app meets: data that an earlier one left. It kills both replicas,
// takes back the newest migration, and starts both at once, so that each finds it pending.
// It reports false if another fault has one of the replicas.
func (w *world) upgrade(ctx context.Context) (bool, error) {
	for _, r := range w.replicas {
		if !r.busy.TryLock() {
			return false, nil
		}
		defer r.busy.Unlock()
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settling)
	defer cancel()
	for _, r := range w.replicas {
		if err := r.End(ctx, syscall.SIGKILL); err != nil {
			return false, err
		}
	}
	if err := w.db.takeBack(ctx, filepath.Join(w.dir, "migrations")); err != nil {
		return false, err
	}
	return true, w.revive(ctx)
}

// takeBack undoes the newest of the migrations in dir. Faults may hit it too: it tries until it is done.
func (d *database) takeBack(ctx context.Context, dir string) error {
	// Past the proxies, but as the app: what a migration makes belongs to who runs it.
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
