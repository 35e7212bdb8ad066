package app_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"onlyonce/internal/app"
	"onlyonce/internal/app/apptest"
	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
)

// over returns a client that connects to a Unix socket.
func over(path string) *http.Client {
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		var dialer net.Dialer
		return dialer.DialContext(ctx, "unix", path)
	}
	return &http.Client{Transport: &http.Transport{DialContext: dial, DisableKeepAlives: true}}
}

// TestUnixSocket: the app takes over the socket of a killed app, but not that of a running one. Its client is a proxy on this
// machine.
func TestUnixSocket(t *testing.T) {
	path := filepath.Join(t.TempDir(), "http")
	killed, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	must.OK(t, err)
	killed.SetUnlinkOnClose(false)
	must.OK(t, killed.Close())
	b := setup(t, func(c *app.Config) {
		c.Addr, c.Demo = "unix:"+path, false
		c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
	})
	assert.Thatf(t, b.URL() == "unix:"+path, "%v", b.URL())
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://app.example.com/readyz", nil)
	must.OK(t, err)
	r.Header.Set("X-Request-ID", "of-the-proxy")
	response, err := over(path).Do(r)
	must.OK(t, err)
	must.OK(t, response.Body.Close())
	assert.Thatf(t, response.StatusCode == http.StatusOK && response.Header.Get("X-Request-ID") == "of-the-proxy",
		"%d, %v", response.StatusCode, response.Header)
	info, err := os.Stat(path)
	must.OK(t, err)
	assert.Thatf(t, info.Mode().Perm() == 0o666, "the proxy is another user, and the mode is %v", info.Mode())
	config := b.Config()
	config.Addr, config.Demo = "unix:"+path, false
	if err := apptest.TryStart(t.Context(), config); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("a second app at the socket: %v", err)
	}
}

// TestURLOfEveryAddress: a browser can open the address that the banner shows.
func TestURLOfEveryAddress(t *testing.T) {
	b := setup(t, func(c *app.Config) { c.Addr, c.Demo = "0.0.0.0:0", false })
	status, _ := b.Get(b.URL() + "/readyz")
	assert.Thatf(t, status == http.StatusOK && strings.HasPrefix(b.URL(), "http://127.0.0.1:"), "%s: %d", b.URL(), status)
}

// TestSystemd: the program serves on an inherited socket, and notifies when it is ready and when it stops. All of its log is
// JSON.
func TestSystemd(t *testing.T) {
	pgtest.Long(t)
	t.Parallel()
	dir := t.TempDir()
	path, notified := filepath.Join(dir, "http"), filepath.Join(dir, "notify")
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	must.OK(t, err)
	socket, err := listener.File()
	must.OK(t, err)
	notify, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: notified, Net: "unixgram"})
	must.OK(t, err)
	defer notify.Close()
	binary, log := apptest.BuildServer(t), &apptest.Buffer{}
	process := exec.CommandContext(t.Context(), "sh", "-c", `LISTEN_PID=$$ LISTEN_FDS=1 exec "$0"`, binary)
	process.ExtraFiles, process.Stderr = []*os.File{socket}, log
	process.Env = append(os.Environ(), "DATABASE_URL="+pgtest.New(t).URL, "ADDR=unix:"+path, "DEMO=0", "METRICS_ADDR=off",
		"LOG_FORMAT=json", "NOTIFY_SOCKET="+notified)
	must.OK(t, process.Start())
	told := func(want string) {
		t.Helper()
		must.OK(t, notify.SetReadDeadline(time.Now().Add(time.Minute)))
		text := make([]byte, 64)
		n, err := notify.Read(text)
		must.OK(t, err)
		assert.Thatf(t, string(text[:n]) == want, "%s, want %s", text[:n], want)
	}
	told("READY=1")
	health := exec.CommandContext(t.Context(), binary, "health")
	health.Env = append(os.Environ(), "ADDR=unix:"+path)
	if out, err := health.CombinedOutput(); err != nil {
		t.Errorf("health: %v, %s", err, out)
	}
	response, err := over(path).Get("http://app.example.com/login")
	must.OK(t, err)
	page, err := io.ReadAll(response.Body)
	must.OK(t, err)
	must.OK(t, response.Body.Close())
	assert.Thatf(t, strings.Contains(string(page), filepath.Base(binary)+" user create") && !strings.Contains(string(page), "go run"),
		"the login page doesn't name the program: %s", page)
	must.OK(t, process.Process.Signal(syscall.SIGTERM))
	told("STOPPING=1")
	must.OK(t, process.Wait())
	for line := range strings.Lines(log.String()) {
		assert.Thatf(t, json.Valid([]byte(line)), "not JSON: %s", line)
	}
}

// TestStopBeforeReady: a signal during the start is no failure.
func TestStopBeforeReady(t *testing.T) {
	t.Parallel()
	b := on(t, pgtest.New(t))
	config := b.Config()
	admin := b.DB.Admin()
	tx, err := admin.Begin(t.Context())
	must.OK(t, err)
	must.Exec(t, tx, `LOCK TABLE tenants`)
	ctx, signal := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- app.Run(ctx, config) }()
	b.waiting("relation")
	signal()
	if err := <-ended; err != nil || strings.Contains(b.Logs.String(), `"ERROR"`) || len(b.Lines("stopped before it was ready")) != 1 {
		t.Errorf("%v, %s", err, b.Logs)
	}
	must.OK(t, tx.Rollback(t.Context()))
}

// TestLogOfJobs: River logs an error for each query that is interrupted when the app stops.
func TestLogOfJobs(t *testing.T) {
	t.Parallel()
	text := &apptest.Buffer{}
	log := app.JobLog(slog.New(slog.NewTextHandler(text, nil)))
	log.Error("stopped", "error", "begin: context canceled")
	log.Info("working")
	log.Error("failed", "error", "deadlock detected")
	got := text.String()
	assert.Thatf(t, strings.Count(got, "\n") == 1 && strings.Contains(got, "msg=failed"), "%v", got)
}
