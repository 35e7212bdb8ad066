package lab

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"

	"github.com/google/uuid"
)

func list(t *testing.T, dir string) (found []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must.OK(t, err)
	for _, entry := range entries {
		found = append(found, entry.Name())
	}
	return found
}

// group returns the names of the running processes in a process group.
func group(t *testing.T, pgid int) (found []string) {
	t.Helper()
	out, err := exec.Command("ps", "-A", "-o", "pgid=,stat=,comm=").Output()
	must.OK(t, err)
	for line := range strings.Lines(string(out)) {
		if words := strings.Fields(line); len(words) > 2 && words[0] == fmt.Sprint(pgid) && words[1][0] != 'Z' {
			found = append(found, words[2])
		}
	}
	return found
}

func TestNothingIsLeftAfterClose(t *testing.T) {
	t.Parallel()
	dir := pgtest.Home(t)
	l := newLab(t, Config{Dir: dir})
	if err := l.Close(t.Context()); err != nil { // nothing has been started yet
		t.Error(err)
	}
	l = newLab(t, Config{Dir: dir})
	o := Order{ID: uuid.New(), Visitor: "Ada", Experiment: "stop-postgres"}
	must.OK(t, l.Start(t.Context(), o))
	leash := l.site.leash.Group
	for seen := range l.Watch(t.Context(), o.ID, o.Visitor) {
		if seen.Sides[0].Attempts[0].Began > 0 {
			break
		}
	}
	if err := l.Close(t.Context()); err != nil {
		t.Error(err)
	}
	left := append(list(t, dir), group(t, leash)...)
	assert.Thatf(t, len(left) == 0, "left are %v", left)
	last, ok := l.Result(o.ID, o.Visitor)
	assert.Thatf(t, ok && last.State == Failed, "the run is %+v", last)
	if err := l.Start(t.Context(), Order{ID: uuid.New(), Experiment: "two-tabs"}); !errors.Is(err, ErrClosed) {
		t.Errorf("a closed lab: %v", err)
	}
}

func TestIdleLabStopsAndStartsAgain(t *testing.T) {
	t.Parallel()
	dir := pgtest.Home(t)
	l := newLab(t, Config{Dir: dir, Idle: time.Millisecond})
	for range 2 {
		result := order(t, l, "two-tabs", 0)
		assert.Thatf(t, result.Sides[0].Things == 1, "%+v", result.Sides)
		must.Until(t, "the lab stops", func() bool { return len(list(t, dir)) == 0 })
	}
}

func TestNoRoom(t *testing.T) {
	t.Parallel()
	dir := pgtest.Home(t)
	l := newLab(t, Config{Dir: dir, Room: 1 << 60})
	o := Order{ID: uuid.New(), Visitor: "Ada", Experiment: "two-tabs"}
	var unavailable *UnavailableError
	if err := l.Start(t.Context(), o); !errors.As(err, &unavailable) || !strings.Contains(unavailable.Reason, "MB free") {
		t.Errorf("no room: %v", err)
	}
	left := list(t, dir)
	assert.Thatf(t, len(left) == 0, "left are %v", left)
	l.config.Room = 1
	if err := l.Start(t.Context(), o); err != nil {
		t.Errorf("the next order: %v", err)
	}
	await(t, l, o)
}

// TestHelper is the helper process of the tests below. It runs a lab.
func TestHelper(t *testing.T) {
	dir := os.Getenv("LAB_DIR")
	if dir == "" {
		return // not the helper process
	}
	l, err := New(Config{Program: os.Getenv("LAB_PROGRAM"), Dir: dir, Log: slog.New(slog.DiscardHandler)})
	must.OK(t, err)
	o := Order{ID: uuid.New(), Visitor: "Ada", Experiment: "stop-postgres"}
	if err := l.Start(t.Context(), o); err != nil {
		fmt.Fprintln(os.Stdout, "refused", err, list(t, dir))
		return
	}
	fmt.Fprintln(os.Stdout, "leash", l.site.leash.Group)
	for seen := range l.Watch(t.Context(), o.ID, o.Visitor) {
		if seen.Sides[0].Attempts[0].Began > 0 {
			fmt.Fprintln(os.Stdout, "running")
		}
	}
}

// helper starts TestHelper by a shell command that ends with "$@".
func helper(t *testing.T, dir, shell string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	pgtest.Long(t)
	path, err := program()
	must.OK(t, err)
	cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", shell, "sh", os.Args[0], "-test.run=^TestHelper$")
	cmd.Env = append(os.Environ(), "LAB_DIR="+dir, "LAB_PROGRAM="+path, "TMPDIR="+t.TempDir())
	out, err := cmd.StdoutPipe()
	must.OK(t, err)
	must.OK(t, cmd.Start())
	return cmd, bufio.NewScanner(out)
}

func TestNothingIsLeftAfterKill(t *testing.T) {
	t.Parallel()
	for _, when := range []string{"leash", "running"} { // while another PostgreSQL is created, and in the middle of an attempt
		t.Run(when, func(t *testing.T) {
			t.Parallel()
			dir := pgtest.Home(t)
			cmd, lines := helper(t, dir, `exec "$@"`)
			leash := 0
			for lines.Scan() {
				_, _ = fmt.Sscanf(lines.Text(), "leash %d", &leash) // one of the lines
				if strings.HasPrefix(lines.Text(), when) {
					break
				}
			}
			must.Thatf(t, leash != 0 && len(group(t, leash)) != 0, "the lab does not run")
			must.OK(t, cmd.Process.Signal(syscall.SIGKILL))
			_ = cmd.Wait()
			must.Until(t, "the servers go", func() bool { return len(group(t, leash)) == 0 })
			must.Until(t, "the directory goes", func() bool { return len(list(t, dir)) == 0 })
			must.Until(t, "all processes go", func() bool { return !mentioned(t, dir) })
		})
	}
}

// mentioned reports whether path is an argument of a running process.
func mentioned(t *testing.T, path string) bool {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	must.OK(t, err)
	for _, file := range files {
		if args, _ := os.ReadFile(file); bytes.Contains(args, []byte(path)) { // the process may have ended meanwhile
			return true
		}
	}
	return false
}

// TestDiskFull runs a lab whose processes cannot write files of more than a megabyte.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	dir := pgtest.Home(t)
	cmd, lines := helper(t, dir, `ulimit -f 2000; exec "$@"`)
	var said string
	for lines.Scan() {
		said += lines.Text()
	}
	_ = cmd.Wait()
	assert.Thatf(t, strings.Contains(said, "refused The lab can't start on this machine right now. It could not make its database") &&
		strings.Contains(said, "[]") && len(list(t, dir)) == 0 && !mentioned(t, dir), "it printed %q, and left %v", said, list(t, dir))
}
