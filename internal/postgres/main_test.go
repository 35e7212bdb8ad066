package postgres_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
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
)

// appDir makes the test binary an app with an embedded server on that directory, for the tests that kill one.
const appDir = "ONLYONCE_TEST_APP_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(appDir); dir != "" {
		log := slog.New(slog.NewTextHandler(os.Stderr, nil))
		if err := runApp(dir, log); err != nil {
			log.Error("app", "error", err)
			os.Exit(1)
		}
		return
	}
	pgtest.Main(m)
}

// ready is the line that an app prints when its server accepts connections.
type ready struct {
	URL string `json:"url"`
}

func runApp(dir string, log *slog.Logger) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	embedded, err := postgres.StartEmbedded(ctx, dir, log)
	if err != nil {
		return err
	}
	if err := json.NewEncoder(os.Stdout).Encode(ready{URL: embedded.URL()}); err != nil {
		return err
	}
	<-ctx.Done()
	return embedded.Stop(context.Background())
}

// app is another process with an embedded server.
type app struct {
	cmd *exec.Cmd
	url string
}

// launchApp starts an app and does not wait for its server.
func launchApp(t *testing.T, dir string) (*app, *bufio.Scanner) {
	t.Helper()
	cmd := exec.Command("sh", "-c", `umask 077; exec "$0"`, os.Args[0]) // the app must not depend on the umask
	cmd.Env = append(os.Environ(), appDir+"="+dir)
	cmd.Stderr = t.Output()
	out, err := cmd.StdoutPipe()
	must.OK(t, err)
	must.OK(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return &app{cmd: cmd}, bufio.NewScanner(out)
}

func startApp(t *testing.T, dir string) *app {
	t.Helper()
	a, out := launchApp(t, dir)
	if !out.Scan() {
		t.Fatalf("the app ended: %v", a.cmd.Wait())
	}
	var r ready
	must.OK(t, json.Unmarshal(out.Bytes(), &r))
	a.url = r.URL
	return a
}

// end sends the signal and waits for the process.
func (a *app) end(t *testing.T, sig syscall.Signal) error {
	t.Helper()
	must.OK(t, a.cmd.Process.Signal(sig))
	return a.cmd.Wait()
}

// start starts an embedded server in this process and stops it when the test ends.
func start(t *testing.T, dir string) *postgres.Embedded {
	t.Helper()
	embedded, err := postgres.StartEmbedded(t.Context(), dir, logger(t))
	must.OK(t, err)
	t.Cleanup(func() { stop(t, embedded) })
	return embedded
}

func stop(t *testing.T, embedded *postgres.Embedded) {
	t.Helper()
	must.OK(t, embedded.Stop(context.Background()))
}

func logger(t *testing.T) *slog.Logger {
	t.Helper()
	return slog.New(slog.NewTextHandler(t.Output(), nil))
}

// put commits the row that [checkKept] expects.
func put(t *testing.T, url string) {
	t.Helper()
	query(t, url, "CREATE TABLE kept (row text UNIQUE)")
	query(t, url, "INSERT INTO kept VALUES ('precious')")
}

// checkKept checks that the row of [put] exists.
func checkKept(t *testing.T, url string) {
	t.Helper()
	wantValue(t, url, "SELECT string_agg(row, ' ') FROM kept", "precious")
}

// query returns the first column of the first row, if there is one.
func query(t *testing.T, url, sql string) (result string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	must.OK(t, err)
	defer conn.Close(context.Background())
	rows, _ := conn.Query(t.Context(), sql) // CollectRows returns its error
	values, err := pgx.CollectRows(rows, pgx.RowTo[any])
	must.OK(t, err)
	if len(values) > 0 {
		result = fmt.Sprint(values[0])
	}
	return result
}

// wantValue fails unless [query] returns the wanted text.
func wantValue(t *testing.T, url, sql, want string) {
	t.Helper()
	got := query(t, url, sql)
	assert.Thatf(t, got == want, "%s: %s, want %s", sql, got, want)
}

// spoiled returns a database for a test that changes more than rows.
func spoiled(t *testing.T) *pgtest.Database {
	t.Helper()
	db := pgtest.New(t)
	db.Spoil(t)
	return db
}

// as returns the URL of a database for another role.
func as(t *testing.T, db *pgtest.Database, role string) string {
	t.Helper()
	address, err := url.Parse(db.URL)
	must.OK(t, err)
	address.User = url.User(role)
	return address.String()
}

// postmaster returns the process id of the server on dir.
func postmaster(t *testing.T, dir string) int {
	t.Helper()
	content := must.Read(t, filepath.Join(dir, "postgres", "postmaster.pid"))
	first, _, _ := strings.Cut(content, "\n")
	pid, err := strconv.Atoi(first)
	must.OK(t, err)
	return pid
}

func serverLog(t *testing.T, dir string) string {
	t.Helper()
	return must.Read(t, filepath.Join(dir, "postgres.log"))
}
