package app_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// program is the real binary on a data directory of its own.
type program struct {
	binary, data, addr string
	env                []string // besides what every program has

	process *exec.Cmd
	log     *buffer
}

// serverDir is a directory that the user of an embedded server can reach.
func serverDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "onlyonce-app-") //nolint:usetesting // the server's user cannot reach t.TempDir
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func startProgram(t *testing.T, env ...string) *program {
	t.Helper()
	dir := serverDir(t)
	p := &program{
		binary: filepath.Join(dir, "server"), data: filepath.Join(dir, "data"), addr: freeAddress(t), env: env, log: &buffer{},
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-o", p.binary, "onlyonce/cmd/server")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	p.start(t)
	t.Cleanup(func() {
		p.process.Process.Signal(os.Interrupt)
		p.process.Wait()
	})
	return p
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
	if err := p.process.Start(); err != nil {
		t.Fatal(err)
	}
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
