package server

import (
	"bytes"
	"cmp"
	"context"
	_ "embed" // for the guard
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

//go:embed guard.sh
var guard string

// Config describes a server to start.
type Config struct {
	Programs  Programs
	Account   Account
	DataDir   string            // made by [Init]
	SocketDir string            // belongs to the account; removed with its content after the end of the server
	Settings  map[string]string // override those of postgresql.conf
	Log       string            // the file that the server logs to
	Lock      *os.File          // held as long as any process of the server lives; may be nil
}

// Process is a running server. Its methods may be called concurrently.
type Process struct {
	pipe *os.File      // the guard stops the server when this is closed
	done chan struct{} // closed when the server has ended
	err  error         // the result of its end; valid once done is closed
}

// URL returns the address of a database on the server whose socket is in socketDir.
func URL(socketDir, role, database string) string {
	u := url.URL{
		Scheme:   "postgres",
		User:     url.User(role),
		Path:     "/" + database,
		RawQuery: url.Values{"host": {socketDir}}.Encode(),
	}
	return u.String()
}

// Start starts the server and returns when it accepts connections, after a crash when it has recovered. It fails if ctx ends, or if the
// server does not respond for a minute, not even that it is recovering. It then leaves no server behind. After Start has returned, ctx
// does not affect the server.
func Start(ctx context.Context, cfg Config) (*Process, error) {
	log, err := os.OpenFile(cfg.Log, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close() // the server has inherited it
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer read.Close()

	logged, err := log.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, errors.Join(err, write.Close())
	}
	cmd := cfg.command(ctx, log)
	cmd.Stdin = read
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("start PostgreSQL: %w", err), write.Close())
	}
	p := &Process{pipe: write, done: make(chan struct{})}
	go func() {
		p.err = cmd.Wait()
		// If the guard alone was killed, its watcher now stops the server.
		_ = p.pipe.Close()
		close(p.done)
	}()

	if err := p.ready(ctx, cfg.SocketDir, time.Minute); err != nil {
		_ = p.Stop(context.WithoutCancel(ctx))
		return nil, fmt.Errorf("start PostgreSQL on %s: %w%s", cfg.DataDir, err, tail(log, logged))
	}
	return p, nil
}

// Done returns a channel that is closed when the server has ended, for any reason.
func (p *Process) Done() <-chan struct{} { return p.done }

// Err returns the error with which the server ended, nil after a shutdown in order. Call it after [Process.Done].
func (p *Process) Err() error { return p.err }

// ErrStopped means that a server was shut down in order, but not by this program.
var ErrStopped = errors.New("somebody stopped it")

// Stop shuts the server down: it finishes running commits, cuts all connections and writes its last checkpoint. If ctx ends first, the
// server still stops, but Stop does not wait for it.
func (p *Process) Stop(ctx context.Context) error {
	// A second Stop finds the pipe closed, which is no error.
	if err := p.pipe.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		return err
	}
	select {
	case <-p.done:
		return p.err
	case <-ctx.Done():
		return fmt.Errorf("PostgreSQL is still stopping: %w", ctx.Err())
	}
}

func (c Config) command(ctx context.Context, log *os.File) *exec.Cmd {
	args := []string{
		"-c", guard, "guard", c.SocketDir,
		filepath.Join(c.Programs.Dir, "postgres"), "-D", c.DataDir,
		"-c", "listen_addresses=",
		"-c", "port=5432", // only part of the socket's name
		"-c", "unix_socket_directories=" + c.SocketDir,
	}
	for name, value := range c.Settings {
		args = append(args, "-c", name+"="+value)
	}
	// The server outlives ctx, which is for its start only.
	cmd := c.Account.Command(context.WithoutCancel(ctx), "/bin/sh", args...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.ExtraFiles = []*os.File{c.Lock}
	return cmd
}

// ready returns when a connection succeeds. If the server does not respond for patience, it returns the error of the last attempt.
func (p *Process) ready(ctx context.Context, socketDir string, patience time.Duration) error {
	const cannotConnectNow = "57P03" // it is recovering, or is a standby in recovery
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for answered := time.Now(); ; {
		attempt, cancel := context.WithDeadline(ctx, answered.Add(patience))
		conn, err := Connect(attempt, URL(socketDir, Superuser, "postgres"))
		cancel()
		if err == nil {
			_ = conn.Close(ctx)
			return nil
		}
		if refused, ok := errors.AsType[*pgconn.PgError](err); ok && refused.Code == cannotConnectNow {
			answered = time.Now()
		}
		select {
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		case <-p.done:
			return fmt.Errorf("the server ended at once: %w", cmp.Or(p.err, ErrStopped))
		case <-tick.C:
		}
		if time.Since(answered) >= patience {
			return fmt.Errorf("the server runs, and takes no connection for %v: %w", patience, err)
		}
	}
}

// tail returns the last lines of the server's log after offset.
func tail(log *os.File, offset int64) string {
	const most = 10
	text, err := io.ReadAll(io.NewSectionReader(log, offset, 1<<20))
	if err != nil || len(text) == 0 {
		return ""
	}
	return ":\n" + lastLines(string(text), most)
}

func lastLines(text string, most int) string {
	lines := slices.Collect(strings.Lines(strings.TrimSpace(text)))
	return strings.Join(lines[max(0, len(lines)-most):], "")
}

// Postmaster returns the process id of the server on dataDir, from its pid file.
func Postmaster(dataDir string) (pid int, err error) {
	content, err := os.ReadFile(filepath.Join(dataDir, "postmaster.pid"))
	if err != nil {
		return 0, err
	}
	first, _, _ := strings.Cut(string(content), "\n")
	if pid, err = strconv.Atoi(strings.TrimSpace(first)); err != nil {
		return 0, fmt.Errorf("pid file of PostgreSQL: %w", err)
	}
	return pid, nil
}

// Freeze suspends every process of the server on dataDir, as when its machine or its disk hangs: connections stay open, without
// answers. [Thaw] resumes them. It is for tests.
func Freeze(ctx context.Context, dataDir string) error {
	postmaster, err := Postmaster(dataDir)
	if err != nil {
		return err
	}
	// The postmaster first, because it would start others.
	if err := syscall.Kill(postmaster, syscall.SIGSTOP); err != nil {
		return fmt.Errorf("freeze PostgreSQL: %w", err)
	}
	return signalChildren(ctx, postmaster, syscall.SIGSTOP)
}

// Thaw undoes [Freeze].
func Thaw(ctx context.Context, dataDir string) error {
	postmaster, err := Postmaster(dataDir)
	if err != nil {
		return err
	}
	err = signalChildren(ctx, postmaster, syscall.SIGCONT)
	return errors.Join(err, syscall.Kill(postmaster, syscall.SIGCONT))
}

// Kill ends every process of the server on dataDir at once, as in a power failure. It is for tests.
func Kill(ctx context.Context, dataDir string) error {
	postmaster, err := Postmaster(dataDir)
	if err != nil {
		return err
	}
	if err := Freeze(ctx, dataDir); err != nil { // the postmaster must not notice the end of a child
		return err
	}
	err = signalChildren(ctx, postmaster, syscall.SIGKILL)
	return errors.Join(err, syscall.Kill(postmaster, syscall.SIGKILL))
}

// signalChildren sends the signal to each child of the postmaster by its process id, because each has its own process group.
func signalChildren(ctx context.Context, postmaster int, signal syscall.Signal) error {
	list, err := exec.CommandContext(ctx, "ps", "-A", "-o", "pid=", "-o", "ppid=").Output()
	if err != nil {
		return fmt.Errorf("list the processes of PostgreSQL: %w", err)
	}
	for line := range bytes.Lines(list) {
		var pid, parent int
		if _, err := fmt.Sscan(string(line), &pid, &parent); err != nil || parent != postmaster {
			continue
		}
		if err := syscall.Kill(pid, signal); err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("signal a process of PostgreSQL: %w", err)
		}
	}
	return nil
}
