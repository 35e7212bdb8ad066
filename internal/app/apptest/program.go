package apptest

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

// Program is the built program with its data directory.
type Program struct {
	Data, Addr string
	Process    *exec.Cmd
	Log        *Buffer

	binary string
	env    []string // in addition to the common variables
}

// StartProgram starts the program with an embedded PostgreSQL. It is stopped at the end of the test.
func StartProgram(t *testing.T, env ...string) *Program {
	t.Helper()
	p := &Program{binary: BuildServer(t), Data: pgtest.Embedded(t), Addr: FreeAddress(t), env: env, Log: &Buffer{}}
	p.Start(t)
	t.Cleanup(func() {
		p.Process.Process.Signal(os.Interrupt)
		p.Process.Wait()
	})
	return p
}

// BuildServer returns the path of the program.
func BuildServer(t *testing.T) (path string) {
	t.Helper()
	path, err := replica.Build(t.Context(), t.TempDir(), "onlyonce/cmd/server")
	must.OK(t, err)
	return path
}

// Start returns when the program serves.
func (p *Program) Start(t *testing.T) {
	t.Helper()
	p.Process = exec.Command(p.binary)
	p.Process.Env = append(os.Environ(), "ADDR="+p.Addr, "DATA_DIR="+p.Data, "METRICS_ADDR=off", "RATE_LIMIT=0", "DATABASE_URL=")
	p.Process.Env = append(p.Process.Env, p.env...)
	p.Process.Stderr = p.Log
	ready, serving := io.Pipe()
	p.Process.Stdout = serving
	must.OK(t, p.Process.Start())
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
