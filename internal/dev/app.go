package dev

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// app is the program, of which a new one takes the place of the old one once it serves.
type app struct {
	config  Config
	program string // where it is built
	running *process
}

type process struct {
	cmd   *exec.Cmd
	ended chan struct{}
	said  *tail
}

// startTimeout is how long a new program may take until it serves; migrations are part of that.
const startTimeout = time.Minute

// restart builds the program, starts it and stops the one before. It gives the address where the new one listens. If
// there is an error the old one goes on; its text is what the compiler or the program said.
func (a *app) restart(ctx context.Context) (address string, err error) {
	// Unoptimized and without what debuggers need it is built in half the time.
	build := exec.CommandContext(ctx, "go", "build", "-gcflags=./...=-N -l -dwarf=false", "-ldflags=-s -w", "-o", a.program, "./cmd/server")
	build.Dir = a.config.Dir
	if out, err := build.CombinedOutput(); err != nil {
		return "", errors.New(string(out))
	}
	if address, err = freeAddress(ctx); err != nil {
		return "", err
	}
	next, err := a.start(ctx, address)
	if err != nil {
		return "", err
	}
	if err := next.ready(ctx, address); err != nil {
		next.stop()
		return "", err
	}
	a.stop()
	a.running = next
	return address, nil
}

func (a *app) start(ctx context.Context, address string) (*process, error) {
	p := &process{cmd: exec.CommandContext(ctx, a.program), ended: make(chan struct{}), said: &tail{}}
	p.cmd.Dir = a.config.Dir
	p.cmd.Env = append(os.Environ(),
		"ADDR="+address, "PUBLIC_URL=http://"+a.config.Addr, "DATABASE_URL="+a.config.DatabaseURL, "METRICS_ADDR=off",
		"TEMPL_DEV_MODE=true", "TEMPL_DEV_MODE_WATCH_ROOT="+filepath.Join(a.config.Dir, "templates"))
	if os.Getenv("DEMO") == "" {
		p.cmd.Env = append(p.cmd.Env, "DEMO=1")
	}
	p.cmd.Stdout, p.cmd.Stderr = a.config.Out, io.MultiWriter(a.config.Out, p.said)
	p.cmd.Cancel = func() error { return p.cmd.Process.Signal(syscall.SIGTERM) }
	p.cmd.WaitDelay = 5 * time.Second
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the app: %w", err)
	}
	go func() {
		_ = p.cmd.Wait() // why it ended stands in what it said
		close(p.ended)
	}()
	return p, nil
}

// stop ends the running program, if there is one.
func (a *app) stop() {
	if a.running != nil {
		a.running.stop()
	}
}

func (p *process) stop() {
	_ = p.cmd.Process.Signal(syscall.SIGTERM) // it may have ended
	select {
	case <-p.ended:
	case <-time.After(5 * time.Second):
		_ = p.cmd.Process.Kill()
		<-p.ended
	}
}

// ready waits until the program serves. The error is what it said if it ends before.
func (p *process) ready(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/healthz", nil)
		if err != nil {
			return fmt.Errorf("ask the app: %w", err)
		}
		if response, err := http.DefaultClient.Do(request); err == nil {
			_ = response.Body.Close() // nothing is read of it
			return nil
		}
		select {
		case <-p.ended:
			return errors.New("the app has ended:\n" + p.said.String())
		case <-ctx.Done():
			return fmt.Errorf("the app does not serve: %w\n%s", ctx.Err(), p.said)
		case <-tick.C:
		}
	}
}

func freeAddress(ctx context.Context) (string, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("find a free port: %w", err)
	}
	return listener.Addr().String(), listener.Close()
}
