package scale

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"onlyonce/internal/postgres/server"
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

// service is a program that runs in the background, and can be started again after its end.
type service struct {
	account server.Account
	group   int    // the process group that it joins
	log     string // the path of its output
	command []string

	running *exec.Cmd
	ended   chan struct{}
}

// start starts the program, and does not wait until it serves. ctx is for the start only.
func (s *service) start(ctx context.Context) error {
	log, err := os.OpenFile(s.log, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer log.Close() // the process has inherited it
	cmd := s.account.Command(context.WithoutCancel(ctx), s.command[0], s.command[1:]...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr.Pgid = s.group
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", s.command[0], err)
	}
	ended := make(chan struct{})
	s.running, s.ended = cmd, ended
	go func() {
		defer close(ended)
		_ = cmd.Wait() // the reason of its end is in its log
	}()
	return nil
}

// signal sends a signal, unless the program has ended.
func (s *service) signal(signal syscall.Signal) { _ = s.running.Process.Signal(signal) }

// kill ends the program at once, if it was started.
func (s *service) kill() {
	if s.running == nil {
		return
	}
	s.signal(syscall.SIGKILL)
	<-s.ended
}
