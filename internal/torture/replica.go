package torture

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// replica is one instance of the server, on the same address after every restart.
type replica struct {
	program string
	addr    string // host:port
	env     []string
	group   int         // the process group of the leash
	log     string      // path of what it writes
	died    func(error) // told when it ends unasked

	busy    sync.Mutex // one fault at a time
	process *process
}

type process struct {
	*os.Process

	gone   chan struct{} // closed when it has ended
	served atomic.Bool   // it did get ready
	asked  atomic.Bool   // its end is our doing
}

// freePort finds a loopback address to listen on. Should somebody else take it before the replica does,
// the replica does not start, and says why.
func freePort(ctx context.Context) (string, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("find a free port: %w", err)
	}
	return listener.Addr().String(), listener.Close()
}

// start starts the process, and does not wait until it serves. ctx is about the start only.
func (r *replica) start(ctx context.Context) error {
	log, err := os.OpenFile(r.log, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer log.Close() // the process has inherited it
	cmd := exec.CommandContext(context.WithoutCancel(ctx), r.program)
	cmd.Env = append(os.Environ(), r.env...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pgid: r.group}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start a replica: %w", err)
	}
	p := &process{Process: cmd.Process, gone: make(chan struct{})}
	r.process = p
	go func() {
		err := cmd.Wait()
		close(p.gone)
		if p.served.Load() && !p.asked.Load() {
			r.died(fmt.Errorf("a replica ended by itself (%w), see %s", err, r.log))
		}
	}()
	return nil
}

// ready waits until the replica serves.
func (r *replica) ready(ctx context.Context) error {
	client := http.Client{Timeout: time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+r.addr+"/readyz", nil)
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
			return fmt.Errorf("the replica at %s does not get ready (%w), see %s", r.addr, err, r.log)
		case <-r.process.gone:
			return errGone
		case <-tick.C:
		}
	}
}

// errGone says that a replica ended before it was ready.
var errGone = errors.New("ended before it was ready")

// revive starts the replica as often as it takes, as a supervisor would: without a database it may give
// up. It returns when the replica serves.
func (r *replica) revive(ctx context.Context) error {
	for {
		if err := r.start(ctx); err != nil {
			return err
		}
		err := r.ready(ctx)
		if !errors.Is(err, errGone) {
			return err
		}
		wait(ctx, 100*time.Millisecond)
		if ctx.Err() != nil {
			return fmt.Errorf("the replica at %s: %w, see %s", r.addr, err, r.log)
		}
	}
}

// crash kills the replica in the middle of whatever it does, and starts it again, even if ctx ends. It reports false if
// another fault has the replica.
func (r *replica) crash(ctx context.Context) (bool, error) {
	if !r.busy.TryLock() {
		return false, nil
	}
	defer r.busy.Unlock()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settling)
	defer cancel()
	if err := r.end(ctx, syscall.SIGKILL); err != nil {
		return false, err
	}
	return true, r.revive(ctx)
}

// freeze keeps the replica from running for a while, as when a virtual machine is moved. Then it goes on
// as if nothing had happened.
func (r *replica) freeze(ctx context.Context, length time.Duration) (bool, error) {
	if !r.busy.TryLock() {
		return false, nil
	}
	defer r.busy.Unlock()
	if err := r.process.Signal(syscall.SIGSTOP); err != nil {
		return false, fmt.Errorf("freeze a replica: %w", err)
	}
	wait(ctx, length)
	return true, r.process.Signal(syscall.SIGCONT)
}

// end sends the signal and waits until the process is gone.
func (r *replica) end(ctx context.Context, signal syscall.Signal) error {
	r.process.asked.Store(true)
	if err := r.process.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("end a replica: %w", err)
	}
	select {
	case <-r.process.gone:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("the replica at %s does not end: %w", r.addr, ctx.Err())
	}
}

// wait returns after a while, or when ctx ends.
func wait(ctx context.Context, length time.Duration) {
	timer := time.NewTimer(length)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
