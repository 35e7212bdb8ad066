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
	gone  chan struct{} // closed when it has ended
	asked atomic.Bool   // its end is our doing
}

// freePort finds a loopback address to listen on. Should somebody else take it before the replica does,
// the replica does not start, and says why.
func freePort() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}

func (r *replica) dial() (net.Conn, error) { return net.Dial("tcp", r.addr) }

// start starts the process, and does not wait until it serves.
func (r *replica) start() error {
	log, err := os.OpenFile(r.log, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer log.Close() // the process has inherited it
	cmd := exec.Command(r.program)
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
		if !p.asked.Load() {
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
		response, err := client.Get("http://" + r.addr + "/readyz")
		if err == nil {
			_, _ = io.Copy(io.Discard, response.Body)
			_ = response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return nil
			}
			err = errors.New(response.Status)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the replica at %s does not get ready (%w), see %s", r.addr, err, r.log)
		case <-tick.C:
		}
	}
}

// crash kills the replica in the middle of whatever it does, and starts it again. It reports false if
// another fault has the replica.
func (r *replica) crash(ctx context.Context) (bool, error) {
	if !r.busy.TryLock() {
		return false, nil
	}
	defer r.busy.Unlock()
	if err := r.end(ctx, syscall.SIGKILL); err != nil {
		return false, err
	}
	return true, r.start()
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
