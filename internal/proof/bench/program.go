package bench

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"onlyonce/internal/proof/replica"
)

// service is a running program that answers HTTP on an address of its own.
type service struct {
	replica.Replica

	origin string        // such as http://127.0.0.1:41234
	took   time.Duration // from start to the first answer
}

// start runs a program with ADDR and what else the environment says, and returns when it is ready.
func (b *bench) start(ctx context.Context, program, log string, env ...string) (*service, error) {
	addr, err := replica.FreePort(ctx)
	if err != nil {
		return nil, err
	}
	s := &service{origin: "http://" + addr}
	s.Program, s.Addr, s.Env, s.Log = program, addr, append(os.Environ(), append(env, "ADDR="+addr)...), log
	s.Group = b.leash.Group
	began := time.Now()
	if err := s.Start(ctx); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if err := s.Ready(ctx); err != nil {
		s.kill()
		return nil, err
	}
	s.took = time.Since(began)
	return s, nil
}

// startServer runs the real server on a database, as in production but for the rate limit, and without
// its own expiry: results expire when we say so.
func (b *bench) startServer(ctx context.Context, env ...string) (*service, error) {
	return b.start(ctx, b.server, b.path("server.log"), append(serverSettings(), env...)...)
}

func serverSettings() []string {
	return []string{"DEMO=1", "RATE_LIMIT=0", "METRICS_ADDR=off", "EXPIRE_EVERY=24h", "SECRET_KEY=" + secretKey}
}

// secretKey is that of all servers of a run.
const secretKey = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="

// stop ends the program in order.
func (s *service) stop() { _ = s.End(context.Background(), syscall.SIGINT) }

// kill ends the program in the middle of whatever it does.
func (s *service) kill() { _ = s.End(context.Background(), syscall.SIGKILL) }

// memory is the resident set in bytes.
func (s *service) memory(ctx context.Context) (float64, error) {
	out, err := exec.CommandContext(ctx, "ps", "-o", "rss=", "-p", strconv.Itoa(s.PID())).Output()
	if err != nil {
		return 0, fmt.Errorf("ask ps for the memory of the server: %w", err)
	}
	kibibytes, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
	return kibibytes * 1024, err
}
