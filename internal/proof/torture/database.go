package torture

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"onlyonce/internal/postgres/server"
)

// durable makes PostgreSQL fully durable: acknowledged commits must survive an immediate stop.
var durable = map[string]string{
	"fsync":               "on",
	"synchronous_commit":  "on",
	"full_page_writes":    "on",
	"shared_buffers":      "128MB",
	"max_connections":     "100",
	"checkpoint_timeout":  "60s", // keeps recovery short
	"log_checkpoints":     "off",
	"timezone":            "UTC",   // as in the app, so that times can be compared as text
	"log_error_verbosity": "terse", // duplicates are expected here, by the thousand
}

// database is a PostgreSQL server that can be killed and restarted.
type database struct {
	config server.Config

	restarting sync.Mutex
	hurried    sync.Mutex
	process    *server.Process
}

// startDatabase creates a data directory in dir, owned by the account, and starts the server. Its WAL is archived if archive is not
// nil.
func startDatabase(ctx context.Context, account server.Account, dir string, archive *Archive) (*database, error) {
	programs, err := server.Locate(ctx, account, 0)
	if err != nil {
		return nil, err
	}
	d := &database{config: server.Config{
		Programs:  programs,
		Account:   account,
		DataDir:   filepath.Join(dir, "data"),
		SocketDir: filepath.Join(dir, "socket"),
		Settings:  maps.Clone(durable),
		Log:       filepath.Join(dir, "postgres.log"),
	}}
	if archive != nil {
		settings, err := archive.Start(ctx, dir, d.config)
		if err != nil {
			return nil, err
		}
		maps.Copy(d.config.Settings, settings)
	}
	if err := account.Mkdir(d.config.DataDir); err != nil {
		return nil, err
	}
	// Without fsync: losing the empty database in a crash of the machine does not matter.
	if err := server.Init(ctx, programs, account, d.config.DataDir, false, nil); err != nil {
		return nil, err
	}
	return d, d.start(ctx)
}

func (d *database) start(ctx context.Context) error {
	// The guard of the previous server has removed this directory.
	err := d.config.Account.Mkdir(d.config.SocketDir)
	if err == nil {
		d.process, err = server.Start(ctx, d.config)
	}
	return err
}

// crash stops the server as in a power failure, without a checkpoint or a message to its clients, and restarts it. It reports false
// if another fault has stopped the server.
func (d *database) crash(ctx context.Context) (bool, error) {
	if !d.restarting.TryLock() {
		return false, nil
	}
	defer d.restarting.Unlock()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settling)
	defer cancel()
	pid, err := server.Postmaster(d.config.DataDir)
	if err != nil {
		return false, err
	}
	if err := syscall.Kill(pid, syscall.SIGQUIT); err != nil {
		return false, fmt.Errorf("stop PostgreSQL immediately: %w", err)
	}
	select {
	case <-d.process.Done():
	case <-ctx.Done():
		return false, fmt.Errorf("stop PostgreSQL immediately: %w", ctx.Err())
	}
	return true, d.start(ctx)
}

// freeze suspends all processes of the server for a while, as when its disk hangs, and then resumes them. It reports false if
// another fault has stopped or frozen the server.
func (d *database) freeze(ctx context.Context, length time.Duration) (bool, error) {
	return unlessHeld(&d.restarting, func() error {
		lasting := context.WithoutCancel(ctx)
		err := server.Freeze(lasting, d.config.DataDir)
		if err == nil {
			Pause(ctx, length)
		}
		return errors.Join(err, server.Thaw(lasting, d.config.DataDir))
	})
}

// hurry sets statement_timeout for a while, as an administrator may. It returns the number of statements that this ended: 0 if the
// server cannot be reached or is hurried already.
func (d *database) hurry(ctx context.Context, timeout, length time.Duration) (ended int, err error) {
	if !d.hurried.TryLock() {
		return 0, nil
	}
	defer d.hurried.Unlock()
	before, err := d.overran()
	if err != nil {
		return 0, err
	}
	if d.configure(ctx, fmt.Sprintf("ALTER SYSTEM SET statement_timeout = %d", timeout.Milliseconds())) != nil {
		return 0, nil // another fault has stopped it
	}
	Pause(ctx, length)
	lasting, cancel := context.WithTimeout(context.WithoutCancel(ctx), settling)
	defer cancel()
	for {
		err := d.configure(lasting, "ALTER SYSTEM RESET statement_timeout")
		if err == nil {
			break
		}
		if lasting.Err() != nil {
			return 0, err
		}
		Pause(lasting, 100*time.Millisecond) // another fault has stopped it
	}
	after, err := d.overran()
	return after - before, err
}

// overran returns the number of statements ended by statement_timeout.
func (d *database) overran() (int, error) {
	log, err := os.ReadFile(d.config.Log)
	return bytes.Count(log, []byte("canceling statement due to statement timeout")), err
}

// configure changes a setting of the running server.
func (d *database) configure(ctx context.Context, change string) error {
	conn, err := d.admin(ctx)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	for _, sql := range []string{"SET statement_timeout = 0", change, "SELECT pg_reload_conf()"} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
	}
	return nil
}

// terminate ends up to n connections of the replicas, the busiest first. It returns their number, or 0 if the server is down.
func (d *database) terminate(ctx context.Context, n int) (ended int) {
	conn, err := d.admin(ctx)
	if err != nil {
		return 0
	}
	defer conn.Close(context.WithoutCancel(ctx))
	err = conn.QueryRow(ctx, `
		SELECT count(*) FILTER (WHERE pg_terminate_backend(pid))
		FROM (
			SELECT pid FROM pg_stat_activity
			WHERE usename = $1 AND backend_type = 'client backend'
			ORDER BY (state = 'active') DESC, random() LIMIT $2
		) AS victims`, server.Role, n).Scan(&ended)
	if err != nil {
		return 0
	}
	return ended
}

// admin connects directly, without the proxies, as the superuser, who bypasses row-level security.
func (d *database) admin(ctx context.Context) (*pgx.Conn, error) {
	return server.Connect(ctx, server.URL(d.config.SocketDir, server.Superuser, server.Database))
}

func (d *database) stop(ctx context.Context) error {
	if d.process == nil {
		return nil
	}
	return d.process.Stop(ctx)
}
