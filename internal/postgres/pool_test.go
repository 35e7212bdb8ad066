package postgres_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/postgres/server"
)

func TestOpenSetsWhatTheAppReliesOn(t *testing.T) {
	t.Parallel()
	db := spoiled(t)
	// The defaults of the server must not matter.
	for _, setting := range []string{
		"default_transaction_isolation = 'serializable'", "datestyle = 'SQL, DMY'", "client_encoding = 'LATIN1'",
		"standard_conforming_strings = off", "timezone = 'Asia/Tokyo'",
	} {
		query(t, db.AdminURL, "ALTER ROLE onlyonce IN DATABASE "+db.Pool.Config().ConnConfig.Database+" SET "+setting)
	}
	for name, parameters := range map[string]string{
		"by default":       "",
		"with PgBouncer":   "&default_query_exec_mode=exec",
		"against its will": "&TimeZone=Asia/Tokyo&DateStyle=German&default_transaction_isolation=serializable",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pool, err := postgres.Open(t.Context(), db.URL+parameters)
			must.OK(t, err)
			defer pool.Close()
			for setting, want := range map[string]string{
				"transaction_isolation": "read committed", "timezone": "UTC", "application_name": "onlyonce",
				"datestyle":       "ISO, MDY",
				"client_encoding": "UTF8", "standard_conforming_strings": "on",
			} {
				var got string
				err := pool.QueryRow(t.Context(), "SELECT current_setting($1)", setting).Scan(&got)
				assert.Thatf(t, err == nil && got == want, "%s is %q, want %q (%v)", setting, got, want, err)
			}
		})
	}
}

func TestOpenMissesAHostThatVanished(t *testing.T) {
	t.Parallel()
	pool := pgtest.New(t).Pool
	for setting, want := range map[string]string{
		"tcp_keepalives_idle": "30", "tcp_keepalives_interval": "10", "tcp_keepalives_count": "3",
	} {
		// On a Unix socket they are shown as 0, and only reset_val has the requested value.
		var got string
		err := pool.QueryRow(t.Context(), "SELECT reset_val FROM pg_settings WHERE name = $1", setting).Scan(&got)
		assert.Thatf(t, err == nil && got == want, "%s is %q, want %q (%v)", setting, got, want, err)
	}
}

func TestOpenBoundsThePool(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	for parameters, want := range map[string]int32{"": 16, "&pool_max_conns=3": 3} {
		pool, err := postgres.Open(t.Context(), db.URL+parameters)
		must.OK(t, err)
		got := pool.Config().MaxConns
		assert.Thatf(t, got == want, "%q: %d connections at most, want %d", parameters, got, want)
		pool.Close()
	}
}

func TestOpenGivesUpOnASilentServer(t *testing.T) {
	t.Parallel()
	// It accepts connections and sends nothing.
	silent, err := new(net.ListenConfig).Listen(t.Context(), "unix", filepath.Join(pgtest.Home(t), ".s.PGSQL.5432"))
	must.OK(t, err)
	defer silent.Close()
	url := "postgres://onlyonce@/onlyonce?connect_timeout=1&host=" + filepath.Dir(silent.Addr().String())
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if pool, err := postgres.Open(ctx, url); err == nil {
		pool.Close()
		t.Error("no error")
	}
	assert.Thatf(t, ctx.Err() == nil, "connect_timeout did not count")
}

// TestEmbeddedGoneForGood shuts the server down in order until it is not restarted. Its process returns no error then.
func TestEmbeddedGoneForGood(t *testing.T) {
	t.Parallel()
	dir := pgtest.Embedded(t)
	var log buffer
	embedded, err := postgres.StartEmbedded(t.Context(), dir, slog.New(slog.NewTextHandler(io.MultiWriter(&log, t.Output()), nil)))
	must.OK(t, err)
	const restarts = 5
	for i := range restarts + 1 {
		must.Until(t, "the server is back", func() bool { return strings.Count(log.String(), "PostgreSQL runs again") == i })
		must.OK(t, syscall.Kill(postmaster(t, dir), syscall.SIGINT))
	}
	<-embedded.Done()
	if err := embedded.Stop(t.Context()); !errors.Is(err, server.ErrStopped) || !strings.Contains(err.Error(), "6 times") {
		t.Errorf("got %v", err)
	}
	text := log.String()
	assert.Thatf(t, strings.Contains(text, "gone for good") && !strings.Contains(text, "%!") && !strings.Contains(text, "error=<nil>"),
		"%v", text)
}

// buffer is a bytes.Buffer that may be read and written concurrently.
type buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
