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

	redigo "github.com/gomodule/redigo/redis"

	"onlyonce/internal/proof/replica"
)

// Server is a Redis server at a Unix socket. The permissions of its directory limit the clients. It writes to disk only on SAVE.
type Server struct {
	// Dir contains the socket and, after SAVE, dump.rdb.
	Dir   string
	args  []string
	leash *replica.Leash
	cmd   *exec.Cmd
}

// ErrMissing is returned if Redis is not installed.
var ErrMissing = errors.New("redis-server is missing: run e2e/setup, or install the package redis-server or valkey-server")

// New starts a server for a test, and stops it afterwards.
func New(t testing.TB, args ...string) *Server {
	t.Helper()
	dir, err := os.MkdirTemp("", "redis") //nolint:usetesting // t.TempDir is too long for the path of a socket
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

// Start starts a server with further arguments, such as --maxmemory 2mb. The server outlives ctx, until [Server.Stop]. The path of
// dir must be short, as sockets require.
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

// Socket returns the path of the server's socket.
func (s *Server) Socket() string { return filepath.Join(s.Dir, "redis.sock") }

// URL returns the server's address for REDIS_URL.
func (s *Server) URL() string { return "unix://" + s.Socket() }

// Start restarts the server after [Server.Kill], with the data in dump.rdb, and waits until it answers.
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

// Do carries out a command such as FLUSHALL, or SAVE, which writes dump.rdb. It returns an error unless the answer is OK.
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

// Ask carries out any command, and returns its reply.
func (s *Server) Ask(ctx context.Context, command string, arguments ...any) (any, error) {
	conn, err := redigo.DialContext(ctx, "unix", s.Socket())
	if err != nil {
		return nil, fmt.Errorf("ask Redis: %w", err)
	}
	defer conn.Close()
	return redigo.DoContext(conn, ctx, command, arguments...) //nolint:wrapcheck // a reply with an error is no failure of this package
}

// Kill kills the server, as in a crash.
func (s *Server) Kill() {
	if s.cmd != nil && s.cmd.Process != nil {
		_ = s.cmd.Process.Kill() // it may have ended
		_ = s.cmd.Wait()
	}
}

// Stop ends the server and its leash.
func (s *Server) Stop() {
	s.Kill()
	s.leash.Release()
}
