package postgres_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres"
	"onlyonce/internal/postgres/npm"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/postgres/server"
)

// TestEmbeddedColdThenWarm starts a server twice in a directory with a long path.
func TestEmbeddedColdThenWarm(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(pgtest.Home(t), strings.Repeat("a-long-name/", 20), "with space [and] 'quotes'")

	began := time.Now()
	cold := start(t, dir)
	t.Logf("cold start: %v", time.Since(began))
	who := query(t, cold.URL(), `
		SELECT format('%s super=%s bypassrls=%s owns=%s', current_user, rolsuper, rolbypassrls, datname)
		FROM pg_roles JOIN pg_database ON datdba = pg_roles.oid
		WHERE rolname = current_user AND datname = current_database()`,
	)
	assert.Thatf(t, who == "onlyonce super=f bypassrls=f owns=onlyonce", "%v", who)
	for setting, want := range map[string]string{
		"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on", "listen_addresses": "", "data_checksums": "on",
	} {
		got := query(t, cold.URL(), "SHOW "+setting)
		assert.Thatf(t, got == want, "%s is %q, want %q", setting, got, want)
	}
	if got := query(t, cold.URL(), "SHOW wal_compression"); got == "off" {
		t.Error("whole pages are logged as they are")
	}
	put(t, cold.URL())
	key, err := cold.SecretKey()
	must.OK(t, err)
	stop(t, cold)
	if _, err := os.Stat(socketDir(t, cold.URL())); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the socket's directory is left behind: %v", err)
	}

	began = time.Now()
	warm := start(t, dir)
	t.Logf("warm start: %v", time.Since(began))
	checkKept(t, warm.URL())
	if again, err := warm.SecretKey(); err != nil || again != key || again.IsZero() {
		t.Errorf("another secret key: %v", err)
	}
}

func TestEmbeddedSocketIsPrivate(t *testing.T) {
	t.Parallel()
	info, err := os.Stat(socketDir(t, start(t, pgtest.Embedded(t)).URL()))
	must.OK(t, err)
	mode := info.Mode().Perm()
	assert.Thatf(t, mode == 0o700, "mode %o", mode)
}

func TestEmbeddedServerStartedByHand(t *testing.T) {
	t.Parallel()
	dir := pgtest.Embedded(t)
	stop(t, start(t, dir))

	byHand := startByHand(t, dir)
	_, err := postgres.StartEmbedded(t.Context(), dir, logger(t))
	var running *server.RunningError
	must.Thatf(t, errors.As(err, &running) && running.PID == postmaster(t, dir), "a server of somebody else on the data: %v", err)
	must.OK(t, byHand.Stop(t.Context()))
	start(t, dir)
}

func TestEmbeddedStalePIDFile(t *testing.T) {
	t.Parallel()
	dir := pgtest.Embedded(t)
	first := start(t, dir)
	put(t, first.URL())
	pidFile := filepath.Join(dir, "postgres", "postmaster.pid")
	content := must.Read(t, pidFile)
	stop(t, first)

	// After the crash another process of the same user has its process id.
	info, err := os.Stat(filepath.Join(dir, "postgres"))
	must.OK(t, err)
	owner := info.Sys().(*syscall.Stat_t)
	innocent := exec.Command("sleep", "600")
	if os.Geteuid() == 0 {
		innocent.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: owner.Uid, Gid: owner.Gid}}
	}
	must.OK(t, innocent.Start())
	t.Cleanup(func() { _ = innocent.Wait() })
	t.Cleanup(func() { _ = innocent.Process.Kill() })
	_, rest, _ := strings.Cut(content, "\n")
	stale := strconv.Itoa(innocent.Process.Pid) + "\n" + rest
	must.OK(t, os.WriteFile(pidFile, []byte(stale), 0o600))
	must.OK(t, os.Chown(pidFile, int(owner.Uid), int(owner.Gid)))

	checkKept(t, start(t, dir).URL())
	if err := innocent.Process.Signal(syscall.Signal(0)); err != nil {
		t.Errorf("the innocent process: %v", err)
	}
}

func TestEmbeddedRefusesForeignData(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		file, content string
		check         func(error) bool
	}{
		"a future version": {"postgres/PG_VERSION", "99\n", func(err error) bool {
			var missing *server.NoProgramsError
			return errors.As(err, &missing) && missing.Major == 99
		}},
		"a version too old": {"postgres/PG_VERSION", "14\n", func(err error) bool {
			var old *postgres.DataVersionError
			return errors.As(err, &old) && old.Major == 14
		}},
		"no version at all":       {"postgres/PG_VERSION", "", func(err error) bool { return err != nil }},
		"something else entirely": {"postgres/thesis.txt", "my only copy", func(err error) bool { return err != nil }},
		"the data itself":         {"PG_VERSION", "15\n", func(err error) bool { return err != nil }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := pgtest.Home(t)
			path := filepath.Join(dir, test.file)
			must.OK(t, os.MkdirAll(filepath.Dir(path), 0o755))
			must.OK(t, os.WriteFile(path, []byte(test.content), 0o644))
			_, err := postgres.StartEmbedded(t.Context(), dir, logger(t))
			assert.Thatf(t, test.check(err), "got %v", err)
			t.Log(err)
			if content, err := os.ReadFile(path); err != nil || string(content) != test.content {
				t.Errorf("touched: %q, %v", content, err)
			}
			if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || filepath.Dir(path) != dir && len(entries) != 1 {
				t.Errorf("more than before: %v, %v", entries, err)
			}
		})
	}
}

// TestEmbeddedInAPrivateDirectory checks the substitute directory: as root the server runs as another user, who may not reach every
// directory.
func TestEmbeddedInAPrivateDirectory(t *testing.T) {
	t.Parallel()
	private := pgtest.Home(t)
	must.OK(t, os.Chmod(private, 0o700))
	dir := filepath.Join(private, "data")
	where := dir
	if os.Geteuid() == 0 {
		where = postgres.Substitute(dir)
		t.Cleanup(func() {
			must.OK(t, os.RemoveAll(where))
		})
	}
	first := start(t, dir)
	put(t, first.URL())
	_, err := os.Stat(filepath.Join(where, "postgres", "PG_VERSION"))
	assert.Thatf(t, err == nil, "%v", err)
	stop(t, first)

	// The data is still found after the directory becomes accessible, and after it is moved.
	must.OK(t, os.Chmod(private, 0o711))
	again := start(t, dir)
	checkKept(t, again.URL())
	stop(t, again)
	moved := filepath.Join(pgtest.Home(t), "moved")
	must.OK(t, os.Rename(dir, moved))
	again = start(t, moved)
	checkKept(t, again.URL())
	stop(t, again)
	if os.Geteuid() == 0 {
		must.OK(t, os.CopyFS(dir, os.DirFS(moved)))
		assert.Thatf(t, postgres.Substitute(dir) != where && postgres.Substitute(moved) == where, "a copy has the data of what was copied")
	}
}

// TestEmbeddedUnderAPrivateUmask checks that the server's own user can pass through directories that root makes, and through
// directories that an earlier version has made.
func TestEmbeddedUnderAPrivateUmask(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(pgtest.Home(t), "made", "data")
	app := startApp(t, dir)
	put(t, app.url)
	must.OK(t, app.end(t, syscall.SIGTERM))
	must.OK(t, os.Chmod(dir, 0o700))
	checkKept(t, start(t, dir).URL())
	_, err := os.Stat(filepath.Join(dir, "postgres", "PG_VERSION"))
	assert.Thatf(t, err == nil, "%v", err)
}

func TestEmbeddedLogKeepsSecrets(t *testing.T) {
	t.Parallel()
	dir := pgtest.Embedded(t)
	embedded := start(t, dir)
	put(t, embedded.URL())
	conn, err := pgx.Connect(t.Context(), embedded.URL())
	must.OK(t, err)
	defer conn.Close(t.Context())
	const secret = "ada@example.com"
	for range 2 {
		_, err = conn.Exec(t.Context(), "INSERT INTO kept VALUES ($1)", secret)
	}
	var pgErr *pgconn.PgError
	must.Thatf(t, errors.As(err, &pgErr) && strings.Contains(pgErr.Detail, secret), "the duplicate: %v", err)
	if _, err := conn.Exec(t.Context(), "INSERT INTO kept VALUES ('"+secret+"')"); err == nil {
		t.Fatal("no error")
	}
	log := serverLog(t, dir)
	assert.Thatf(t, strings.Count(log, " 23505 ") == 2, "the log does not have two duplicates: %s", log)
	assert.Thatf(t, !strings.Contains(log, secret), "the log has user input: %s", log)
}

// TestEmbeddedSaysWhenItIsFromNPM starts a server on data of the version of the npm packages. They are used if no such version is
// installed.
func TestEmbeddedSaysWhenItIsFromNPM(t *testing.T) {
	t.Parallel()
	dir := pgtest.Home(t)
	account, err := server.ChooseAccount("")
	must.OK(t, err)
	programs, err := server.Locate(t.Context(), account, npm.Major)
	must.OK(t, err)
	data := filepath.Join(dir, "postgres")
	must.OK(t, account.Mkdir(data))
	must.OK(t, server.Init(t.Context(), programs, account, data, false, nil))
	var log bytes.Buffer
	embedded, err := postgres.StartEmbedded(t.Context(), dir, slog.New(slog.NewTextHandler(&log, nil)))
	must.OK(t, err)
	stop(t, embedded)
	fetched := strings.Contains(programs.Dir, "@embedded-postgres")
	warned := strings.Contains(log.String(), "level=WARN")
	assert.Thatf(t, fetched == programs.FromNPM && warned == fetched, "%+v: %s", programs, &log)
}

func socketDir(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	must.OK(t, err)
	return u.Query().Get("host")
}

// startByHand starts a server on the data in dir without the app's locks.
func startByHand(t *testing.T, dir string) *server.Process {
	t.Helper()
	data := filepath.Join(dir, "postgres")
	account, err := server.ChooseAccount(data)
	must.OK(t, err)
	major, err := server.MajorOf(data)
	must.OK(t, err)
	programs, err := server.Locate(t.Context(), account, major)
	must.OK(t, err)
	socket, err := account.MkdirTemp("/tmp", "onlyonce-hand-")
	must.OK(t, err)
	process, err := server.Start(t.Context(), server.Config{
		Programs: programs, Account: account, DataDir: data, SocketDir: socket, Log: filepath.Join(t.TempDir(), "log"),
	})
	must.OK(t, err)
	t.Cleanup(func() { _ = process.Stop(t.Context()) })
	return process
}

// TestEmbeddedStartSaysWhatItWaitsFor starts a server on a standby that never ends its recovery.
func TestEmbeddedStartSaysWhatItWaitsFor(t *testing.T) {
	pgtest.Long(t)
	t.Parallel()
	dir := pgtest.Embedded(t)
	for name, content := range map[string]string{"standby.signal": "", "postgresql.auto.conf": "hot_standby = off"} {
		must.OK(t, os.WriteFile(filepath.Join(dir, "postgres", name), []byte(content), 0o644))
	}
	var log bytes.Buffer
	ctx, cancel := context.WithTimeout(t.Context(), 7*time.Second)
	defer cancel()
	_, err := postgres.StartEmbedded(ctx, dir, slog.New(slog.NewTextHandler(&log, nil)))
	assert.Thatf(t, errors.Is(err, context.DeadlineExceeded) && strings.Contains(log.String(), "PostgreSQL to take connections"),
		"%v after the log\n%s", err, log.String())
}
