package bench

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"onlyonce/internal/proof/replica"
)

// service is a running program that answers HTTP on an address of its own.
type service struct {
	origin string // such as http://127.0.0.1:41234
	cmd    *exec.Cmd
	gone   chan struct{}
	log    string
	took   time.Duration // from start to the first answer
}

// start runs a program with ADDR and what else the environment says, and returns when it is ready.
func start(ctx context.Context, program, log string, env ...string) (*service, error) {
	addr, err := replica.FreePort(ctx)
	if err != nil {
		return nil, err
	}
	output, err := os.OpenFile(log, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	defer output.Close() // the program has inherited it
	s := &service{origin: "http://" + addr, gone: make(chan struct{}), log: log}
	s.cmd = exec.CommandContext(ctx, program)
	s.cmd.Env = append(os.Environ(), append(env, "ADDR="+addr)...)
	s.cmd.Stdout, s.cmd.Stderr = output, output
	s.cmd.Cancel = func() error { return s.cmd.Process.Signal(os.Interrupt) }
	began := time.Now()
	if err := s.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", program, err)
	}
	go func() {
		_ = s.cmd.Wait() // why it ended stands in its log
		close(s.gone)
	}()
	if err := s.ready(ctx); err != nil {
		s.stop()
		return nil, err
	}
	s.took = time.Since(began)
	return s, nil
}

// startServer runs the real server on a database, as in production but for the rate limit, and without
// its own expiry: results expire when we say so.
func (b *bench) startServer(ctx context.Context, env ...string) (*service, error) {
	return start(ctx, b.server, filepath.Join(b.dir, "server.log"), append(serverSettings(), env...)...)
}

func serverSettings() []string {
	return []string{"DEMO=1", "RATE_LIMIT=0", "METRICS_ADDR=off", "EXPIRE_EVERY=24h", "SECRET_KEY=" + secretKey}
}

// secretKey is that of all servers of a run.
const secretKey = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="

func (s *service) ready(ctx context.Context) error {
	client := http.Client{Timeout: time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	patience, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		request, err := http.NewRequestWithContext(patience, http.MethodGet, s.origin+"/readyz", nil)
		if err != nil {
			return err
		}
		if response, err := client.Do(request); err == nil {
			_, _ = io.Copy(io.Discard, response.Body)
			_ = response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-patience.Done():
			return fmt.Errorf("not ready after a minute: see %s", s.log)
		case <-s.gone:
			return fmt.Errorf("ended before it was ready: see %s", s.log)
		case <-tick.C:
		}
	}
}

// stop ends the program in order.
func (s *service) stop() {
	_ = s.cmd.Process.Signal(os.Interrupt) // fails only for a program that has ended
	<-s.gone
}

// kill ends the program in the middle of whatever it does.
func (s *service) kill() {
	_ = s.cmd.Process.Kill() // fails only for a program that has ended
	<-s.gone
}

// memory is the resident set in bytes.
func (s *service) memory(ctx context.Context) (float64, error) {
	out, err := exec.CommandContext(ctx, "ps", "-o", "rss=", "-p", strconv.Itoa(s.cmd.Process.Pid)).Output()
	if err != nil {
		return 0, fmt.Errorf("ask ps for the memory of the server: %w", err)
	}
	kibibytes, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
	return kibibytes * 1024, err
}
