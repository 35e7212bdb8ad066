package app_test

import (
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/proof/replica"
)

// program is the built program with its data directory.
type program struct {
	binary, data, addr string
	env                []string // in addition to the common variables

	process *exec.Cmd
	log     *buffer
}

func startProgram(t *testing.T, env ...string) *program {
	t.Helper()
	p := &program{binary: buildServer(t), data: pgtest.Embedded(t), addr: freeAddress(t), env: env, log: &buffer{}}
	p.start(t)
	t.Cleanup(func() {
		p.process.Process.Signal(os.Interrupt)
		p.process.Wait()
	})
	return p
}

func buildServer(t *testing.T) (path string) {
	t.Helper()
	path, err := replica.Build(t.Context(), t.TempDir(), "onlyonce/cmd/server")
	must.OK(t, err)
	return path
}

// start returns when the program serves.
func (p *program) start(t *testing.T) {
	t.Helper()
	p.process = exec.Command(p.binary)
	p.process.Env = append(os.Environ(), "ADDR="+p.addr, "DATA_DIR="+p.data, "METRICS_ADDR=off", "RATE_LIMIT=0", "DATABASE_URL=")
	p.process.Env = append(p.process.Env, p.env...)
	p.process.Stderr = p.log
	ready, serving := io.Pipe()
	p.process.Stdout = serving
	must.OK(t, p.process.Start())
	banner := make(chan bool, 1)
	go func() {
		buffer := make([]byte, 4096)
		n, _ := ready.Read(buffer)
		banner <- strings.Contains(string(buffer[:n]), "ready")
		io.Copy(io.Discard, ready)
	}()
	select {
	case ok := <-banner:
		if !ok {
			t.Fatal("the program did not start")
		}
	case <-time.After(time.Minute):
		t.Fatal("the program did not start in a minute")
	}
}
