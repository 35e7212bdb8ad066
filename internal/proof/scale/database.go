package scale

import (
	"context"
	"fmt"
	"path/filepath"
	"syscall"

	"onlyonce/internal/postgres/server"
	"onlyonce/internal/proof/replica"
)

// database is a server that can be killed and started again.
type database struct {
	config  server.Config
	process *server.Process
}

// start initializes a server with its data in dir, which is new, and starts it.
func (d *database) start(
	ctx context.Context, account server.Account, programs server.Programs, dir string, settings map[string]string,
) error {
	d.config = server.Config{
		Programs: programs, Account: account, DataDir: dir, SocketDir: dir + "-socket", Settings: settings, Log: dir + ".log",
	}
	if err := account.Mkdir(dir); err != nil {
		return err
	}
	if err := server.Init(ctx, programs, account, dir, true, nil); err != nil {
		return err
	}
	return d.run(ctx)
}

// follow starts a standby for the primary.
func (d *database) follow(ctx context.Context, primary *database, dir string) error {
	d.config = primary.config
	d.config.DataDir, d.config.SocketDir, d.config.Log = dir, dir+"-socket", dir+".log"
	copied := d.config.Account.Command(ctx, filepath.Join(d.config.Programs.Dir, "pg_basebackup"), "--pgdata="+dir,
		"--write-recovery-conf", "--checkpoint=fast", "--dbname="+server.URL(primary.config.SocketDir, server.Superuser, "postgres"))
	if out, err := copied.CombinedOutput(); err != nil {
		return fmt.Errorf("copy the primary: %w\n%s", err, out)
	}
	return d.run(ctx)
}

// run starts the server, initially or again.
func (d *database) run(ctx context.Context) error {
	// The guard removes this directory when the server ends.
	err := d.config.Account.Mkdir(d.config.SocketDir)
	if err == nil {
		d.process, err = server.Start(ctx, d.config)
	}
	return err
}

// kill ends the server at once, as in a power failure.
func (d *database) kill(ctx context.Context) error {
	if err := server.Kill(ctx, d.config.DataDir); err != nil {
		return fmt.Errorf("kill PostgreSQL: %w", err)
	}
	select {
	case <-d.process.Done():
		return nil
	case <-ctx.Done():
		return fmt.Errorf("kill PostgreSQL: %w", ctx.Err())
	}
}

// url returns the address of the app's database for the superuser.
func (d *database) url() string {
	return server.URL(d.config.SocketDir, server.Superuser, server.Database)
}

func (d *database) stop(ctx context.Context) error {
	if d.process == nil {
		return nil
	}
	return d.process.Stop(ctx)
}

// service returns a program that runs in the background with its output in a log, under an account and in a process group. It is started
// without waiting until it serves.
func service(account server.Account, group int, log, program string, args ...string) *replica.Replica {
	return &replica.Replica{Program: program, Args: args, Group: group, Log: log, Command: account.Command}
}

// kill ends a program at once, if it was started.
func kill(r *replica.Replica) error {
	if r == nil {
		return nil
	}
	return r.End(context.Background(), syscall.SIGKILL)
}
