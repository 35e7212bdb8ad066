package postgres_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/postgres/server"
)

func TestEmbeddedSurvivesKillOfApp(t *testing.T) {
	t.Parallel()
	dir := pgtest.Embedded(t)
	app := startApp(t, dir)
	put(t, app.url)
	_ = app.end(t, syscall.SIGKILL)

	// Without a pause: the killed app's server is most likely still stopping.
	checkKept(t, start(t, dir).URL())
	must.Until(t, "the socket's directory goes with the server", func() bool {
		_, err := os.Stat(socketDir(t, app.url))
		return errors.Is(err, os.ErrNotExist)
	})
}

func TestEmbeddedSurvivesKillOfAppWhileMakingData(t *testing.T) {
	t.Parallel()
	dir := pgtest.Home(t)
	app, _ := launchApp(t, dir)
	scratch := func() []string {
		found, err := filepath.Glob(filepath.Join(dir, "postgres.new-*"))
		must.OK(t, err)
		return found
	}
	must.Until(t, "the app makes its data directory", func() bool { return len(scratch()) > 0 })
	_ = app.end(t, syscall.SIGKILL)

	put(t, start(t, dir).URL())
	left := scratch()
	assert.Thatf(t, len(left) == 0, "left behind: %v", left)
}

// TestEmbeddedWaitsForWhatAKilledAppLeft holds the app's lock for a moment, like a program that the app was starting when it was
// killed.
func TestEmbeddedWaitsForWhatAKilledAppLeft(t *testing.T) {
	t.Parallel()
	dir := pgtest.Embedded(t)
	gone := exec.Command("true")
	must.OK(t, gone.Run())
	path := filepath.Join(dir, "app.lock")
	must.OK(t, os.WriteFile(path, []byte(strconv.Itoa(gone.Process.Pid)), 0o600))
	left, err := server.TryLock(path)
	must.OK(t, err)

	lines, log := io.Pipe()
	started := make(chan error, 1)
	go func() {
		embedded, err := postgres.StartEmbedded(t.Context(), dir, slog.New(slog.NewTextHandler(log, nil)))
		if err == nil {
			err = embedded.Stop(context.Background())
		}
		_ = log.Close()
		started <- err
	}()
	for lines := bufio.NewScanner(lines); lines.Scan(); {
		if strings.Contains(lines.Text(), "killed app") {
			must.OK(t, left.Close())
		}
	}
	must.OK(t, <-started)
}

// started is a query for the time at which the server started. It distinguishes a new server from one that is about to end,
// which has no PID file any more but may still answer.
const started = "SELECT pg_postmaster_start_time()::text"

func TestEmbeddedSurvivesKillOfServer(t *testing.T) {
	t.Parallel()
	dir := pgtest.Embedded(t)
	embedded := start(t, dir)
	pool, err := postgres.Open(t.Context(), embedded.URL())
	must.OK(t, err)
	defer pool.Close()
	put(t, embedded.URL())
	before := query(t, embedded.URL(), started)
	must.OK(t, syscall.Kill(postmaster(t, dir), syscall.SIGKILL))
	// The pool reconnects to the new server, with the same address and data.
	must.Until(t, "the server is back", func() bool {
		var n int
		var now string
		err := pool.QueryRow(t.Context(), "SELECT count(*), ("+started+") FROM kept").Scan(&n, &now)
		return err == nil && n == 1 && now != before
	})
}

// TestEmbeddedSurvivesKillOfGuard kills the guard alone, which leaves the watcher, or the whole process group, which leaves only
// backends. They end without a signal.
func TestEmbeddedSurvivesKillOfGuard(t *testing.T) {
	t.Parallel()
	for name, group := range map[string]bool{"the guard alone": false, "its whole group": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := pgtest.Embedded(t)
			embedded := start(t, dir)
			put(t, embedded.URL())
			before := query(t, embedded.URL(), started)
			guard, err := syscall.Getpgid(postmaster(t, dir))
			must.OK(t, err)
			own := syscall.Getpgrp()
			must.Thatf(t, guard != own, "the server shares the app's process group: Ctrl-C would hit it first")
			target := guard
			if group {
				target = -guard
			}
			must.OK(t, syscall.Kill(target, syscall.SIGKILL))
			must.Until(t, "another server runs", func() bool {
				conn, err := pgx.Connect(t.Context(), embedded.URL())
				if err != nil {
					return false
				}
				defer conn.Close(t.Context())
				var now string
				return conn.QueryRow(t.Context(), started).Scan(&now) == nil && now != before
			})
			checkKept(t, embedded.URL())
		})
	}
}

func TestEmbeddedStopsInOrderOnSIGTERM(t *testing.T) {
	t.Parallel()
	dir := pgtest.Embedded(t)
	app := startApp(t, dir)
	put(t, app.url)
	must.OK(t, app.end(t, syscall.SIGTERM))
	if log := serverLog(t, dir); !strings.Contains(log, "database system is shut down") {
		t.Errorf("the server was not shut down when the app had ended: %s", log)
	}
	checkKept(t, start(t, dir).URL())
	if log := serverLog(t, dir); strings.Contains(log, "interrupted") || strings.Contains(log, "recovery") {
		t.Errorf("the server had to recover: %s", log)
	}
}

// TestEmbeddedAsOrdinaryUser runs some of these tests as an ordinary user if this one runs as root.
func TestEmbeddedAsOrdinaryUser(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Log("all tests of this run were as an ordinary user")
		return
	}
	nobody, err := user.Lookup("nobody")
	must.OK(t, err)
	uid, err := strconv.ParseUint(nobody.Uid, 10, 32)
	must.OK(t, err)
	gid, err := strconv.ParseUint(nobody.Gid, 10, 32)
	must.OK(t, err)
	dir := pgtest.Home(t)
	program, err := os.ReadFile(os.Args[0])
	must.OK(t, err)
	path := filepath.Join(dir, "postgres.test") // every user can run it there
	must.OK(t, os.WriteFile(path, program, 0o755))
	tests := exec.Command(path, "-test.v",
		"-test.run=^TestEmbedded(ColdThenWarm|SurvivesKillOfApp|SurvivesKillOfServer|StalePIDFile|InAPrivateDirectory)$")
	cache := filepath.Join(dir, "cache")
	must.OK(t, errors.Join(os.Mkdir(cache, 0o700), os.Chown(cache, int(uid), int(gid))))
	tests.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=/nonexistent", "XDG_CACHE_HOME=" + cache}
	tests.Dir = dir
	tests.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	out, err := tests.CombinedOutput()
	t.Logf("%s", out)
	assert.Thatf(t, err == nil && strings.Count(string(out), "--- PASS") >= 5, "as nobody: %v", err)
}
