// Package redis runs Redis servers for tests, as processes that do not outlive the program that started them.
package redis

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"onlyonce/internal/proof/replica"
)

// Server is a Redis at a Unix socket, whose directory says who may connect. It writes nothing to disk unless it is told to.
type Server struct {
	// Dir has the socket, and dump.rdb if there is one.
	Dir   string
	args  []string
	leash *replica.Leash
	cmd   *exec.Cmd
}

// ErrMissing means that there is no Redis on this machine.
var ErrMissing = errors.New("redis-server is missing: run e2e/setup, or install the package redis-server or valkey-server")

// New starts a server for a test, and stops it afterwards.
func New(t testing.TB, args ...string) *Server {
	t.Helper()
	dir, err := os.MkdirTemp("", "redis") //nolint:usetesting // the path of a socket is short, and that of t.TempDir is not
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	s, err := Start(t.Context(), dir, args...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	return s
}

// Start starts a server with further arguments, such as --maxmemory 2mb. It outlives ctx, until [Server.Stop]. dir has a short path,
// as sockets need.
func Start(ctx context.Context, dir string, args ...string) (*Server, error) {
	leash, err := replica.NewLeash(ctx)
	if err != nil {
		return nil, err
	}
	s := &Server{Dir: dir, args: args, leash: leash}
	if err := s.Start(ctx); err != nil {
		s.Stop()
		return nil, err
	}
	return s, nil
}

// Socket is the path at which the server listens.
func (s *Server) Socket() string { return filepath.Join(s.Dir, "redis.sock") }

// URL is the server's address as REDIS_URL takes it.
func (s *Server) URL() string { return "unix://" + s.Socket() }

// Start starts the server again, after [Server.Kill], and waits until it answers. It has what dump.rdb has.
func (s *Server) Start(ctx context.Context) error {
	program, err := exec.LookPath("redis-server")
	if err != nil {
		if program, err = exec.LookPath("valkey-server"); err != nil {
			return ErrMissing
		}
	}
	args := append([]string{"--port", "0", "--unixsocket", s.Socket(), "--dir", s.Dir, "--save", ""}, s.args...)
	s.cmd = exec.CommandContext(context.WithoutCancel(ctx), program, args...)
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pgid: s.leash.Group}
	if err := s.cmd.Start(); err != nil {
		return fmt.Errorf("start Redis: %w", err)
	}
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		err := s.Do(ctx, "PING")
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("start Redis: %w: %w", ctx.Err(), err)
		case <-tick.C:
		}
	}
}

// Do carries out a command such as FLUSHALL, or SAVE, which writes dump.rdb. It returns an error unless the server says that it is
// done.
func (s *Server) Do(ctx context.Context, command string) error {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "unix", s.Socket())
	if err != nil {
		return fmt.Errorf("ask Redis: %w", err)
	}
	defer conn.Close()
	if _, err := conn.Write([]byte(command + "\r\n")); err != nil {
		return fmt.Errorf("ask Redis: %w", err)
	}
	answer, err := bufio.NewReader(conn).ReadString('\n')
	if err == nil && answer[0] != '+' {
		err = errors.New(answer)
	}
	return err
}

// Kill ends the server as a crash would.
func (s *Server) Kill() {
	if s.cmd != nil && s.cmd.Process != nil {
		_ = s.cmd.Process.Kill() // it may have ended
		_ = s.cmd.Wait()
	}
}

// Stop ends the server for good.
func (s *Server) Stop() {
	s.Kill()
	s.leash.Release()
}
