// Package replica runs instances of the server as separate processes, which do not outlive the program that started them.
package replica

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"
)

// Replica is an instance of the server. It keeps its address when restarted. Its methods must not be called concurrently.
type Replica struct {
	Program string
	Args    []string
	Addr    string // host:port
	Env     []string
	Group   int         // the process group of a [Leash]
	Log     string      // path of its output
	Died    func(error) // called if it ends without End; may be nil
	// Command returns the command of the program, instead of [exec.CommandContext]; may be nil.
	Command func(ctx context.Context, program string, args ...string) *exec.Cmd

	process *process
}

type process struct {
	*os.Process

	gone   chan struct{} // closed when it has ended
	served atomic.Bool   // it has become ready
	asked  atomic.Bool   // End was called
}

// ErrGone is returned if a replica ended before it was ready.
var ErrGone = errors.New("ended before it was ready")

// FreePort returns a free loopback address. Its port is below those that systems choose for clients and for port 0 (32768 and above
// on Linux), because any of these could be taken before the replica listens. If this one is taken all the same, the replica fails
// to start and logs it.
func FreePort(ctx context.Context) (address string, err error) {
	var config net.ListenConfig
	for range 100 {
		var listener net.Listener
		address = fmt.Sprintf("127.0.0.1:%d", 10_000+rand.IntN(22_000)) //nolint:gosec // not a secret
		if listener, err = config.Listen(ctx, "tcp", address); err == nil {
			if err = listener.Close(); err == nil {
				return address, nil
			}
		}
	}
	return "", fmt.Errorf("find a free port: %w", err)
}

// Start starts the process without waiting until it serves. ctx bounds only the start.
func (r *Replica) Start(ctx context.Context) error {
	log, err := os.OpenFile(r.Log, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer log.Close() // the process has its own copy
	command := r.Command
	if command == nil {
		command = exec.CommandContext
	}
	cmd := command(context.WithoutCancel(ctx), r.Program, r.Args...)
	cmd.Env = append(cmd.Env, r.Env...)
	cmd.Stdout, cmd.Stderr = log, log
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	}
	cmd.SysProcAttr.Pgid = r.Group
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start a replica: %w", err)
	}
	p := &process{Process: cmd.Process, gone: make(chan struct{})}
	r.process = p
	go func() {
		err := cmd.Wait()
		close(p.gone)
		if p.served.Load() && !p.asked.Load() && r.Died != nil {
			r.Died(fmt.Errorf("a replica ended by itself (%w), see %s", err, r.Log))
		}
	}()
	return nil
}

// Ready waits until the replica serves. The error wraps [ErrGone] if it ended instead.
func (r *Replica) Ready(ctx context.Context) error {
	client := http.Client{Timeout: time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+r.Addr+"/readyz", nil)
		if err != nil {
			return fmt.Errorf("ask a replica whether it is ready: %w", err)
		}
		response, err := client.Do(request)
		if err == nil {
			_, _ = io.Copy(io.Discard, response.Body)
			_ = response.Body.Close()
			if response.StatusCode == http.StatusOK {
				r.process.served.Store(true)
				return nil
			}
			err = errors.New(response.Status)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the replica at %s does not get ready (%w), see %s", r.Addr, err, r.Log)
		case <-r.process.gone:
			return fmt.Errorf("the replica at %s %w, see %s", r.Addr, ErrGone, r.Log)
		case <-tick.C:
		}
	}
}

// Revive starts the replica until it serves, like a supervisor: a replica may exit while it has no database.
func (r *Replica) Revive(ctx context.Context) error {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		if err := r.Start(ctx); err != nil {
			return err
		}
		err := r.Ready(ctx)
		if !errors.Is(err, ErrGone) {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("the replica at %s: %w, see %s", r.Addr, err, r.Log)
		}
	}
}

// PID returns the process ID. The replica must have been started.
func (r *Replica) PID() int { return r.process.Pid }

// Signal sends a signal that does not end the process.
func (r *Replica) Signal(signal syscall.Signal) error { return r.process.Signal(signal) }

// End sends a signal and waits until the process has ended. It does nothing if the replica was not started.
func (r *Replica) End(ctx context.Context, signal syscall.Signal) error {
	if r.process == nil {
		return nil
	}
	r.process.asked.Store(true)
	if err := r.process.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("end a replica: %w", err)
	}
	select {
	case <-r.process.gone:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("the replica at %s does not end: %w", r.Addr, ctx.Err())
	}
}

// Build compiles a command of this module, such as "onlyonce/cmd/server", into dir.
func Build(ctx context.Context, dir, pkg string) (program string, err error) {
	program = filepath.Join(dir, filepath.Base(pkg))
	// Without debug information, linking takes two thirds of the time.
	out, err := exec.CommandContext(ctx, "go", "build", "-ldflags=-s -w", "-o", program, pkg).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build %s: %w\n%s", pkg, err, out)
	}
	return program, nil
}

// Leash holds a process group that dies with this program, even on kill -9: the kernel then closes the pipe that the leash reads.
type Leash struct {
	Group int
	pipe  io.Closer
	cmd   *exec.Cmd
}

// NewLeash starts a leash. It outlives ctx, until it is released.
func NewLeash(ctx context.Context) (*Leash, error) {
	cmd := exec.CommandContext(context.WithoutCancel(ctx), "/bin/sh", "-c", "cat; kill -KILL 0")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start the leash: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the leash: %w", err)
	}
	return &Leash{Group: cmd.Process.Pid, pipe: pipe, cmd: cmd}, nil
}

// Release kills the processes left in the group.
func (l *Leash) Release() {
	_ = l.pipe.Close()
	_ = l.cmd.Wait() // the leash kills itself, too
}
