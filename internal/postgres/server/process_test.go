package server_test

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/postgres/server"
)

// TestInitThatFails checks the error of initdb in a directory that is not empty.
func TestInitThatFails(t *testing.T) {
	t.Parallel()
	account, err := server.ChooseAccount("")
	must.OK(t, err)
	programs, err := server.Locate(t.Context(), account, 0)
	must.OK(t, err)
	dir, err := account.MkdirTemp("/tmp", "onlyonce-init-")
	must.OK(t, err)
	t.Cleanup(func() {
		must.OK(t, os.RemoveAll(dir))
	})
	must.OK(t, os.WriteFile(filepath.Join(dir, "thesis.txt"), []byte("my only copy"), 0o600))
	err = server.Init(t.Context(), programs, account, dir, false, nil)
	var failed *server.InitError
	must.Thatf(t, errors.As(err, &failed) && failed.Dir == dir && failed.Program == "initdb", "got %v", err)
	for _, part := range []string{dir, account.String(), "DATA_DIR", "DATABASE_URL", "disk", "exists but is not empty"} {
		assert.Thatf(t, strings.Contains(err.Error(), part), "nothing about %q in: %v", part, err)
	}
	assert.Thatf(t, !strings.Contains(err.Error(), "%!"), "%v", err)
	t.Log(err)
}

func TestInitWithoutRoom(t *testing.T) {
	t.Parallel()
	for free, want := range map[int64]bool{1: true, 99: true, 100: false, 0: false} {
		err := &server.InitError{Free: free, Err: os.ErrPermission}
		got := strings.Contains(err.Error(), "MB are free")
		assert.Thatf(t, got == want, "%d MB: %v", free, err)
	}
}

// TestStartEnds checks that ready fails for a server that does not respond, and waits for one that is recovering.
func TestStartEnds(t *testing.T) {
	t.Parallel()
	hangs, err := os.MkdirTemp("/tmp", "onlyonce-") //nolint:usetesting // the path of a socket is short
	must.OK(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(hangs) })
	var listen net.ListenConfig
	socket, err := listen.Listen(t.Context(), "unix", filepath.Join(hangs, ".s.PGSQL.5432"))
	must.OK(t, err)
	defer socket.Close()
	if err := server.Ready(t.Context(), hangs, time.Second); err == nil || !strings.Contains(err.Error(), "takes no connection for 1s") {
		t.Errorf("a server that hangs: %v", err)
	}

	data := filepath.Join(pgtest.Embedded(t), "postgres")
	must.OK(t, os.WriteFile(filepath.Join(data, "standby.signal"), nil, 0o644)) // it is in recovery until it is promoted
	account, err := server.ChooseAccount(data)
	must.OK(t, err)
	major, err := server.MajorOf(data)
	must.OK(t, err)
	programs, err := server.Locate(t.Context(), account, major)
	must.OK(t, err)
	recovers, err := account.MkdirTemp("/tmp", "onlyonce-")
	must.OK(t, err)
	starting, stop := context.WithCancel(t.Context())
	started := make(chan error, 1)
	go func() {
		_, err := server.Start(starting, server.Config{
			Programs: programs, Account: account, DataDir: data, SocketDir: recovers, Log: filepath.Join(t.TempDir(), "log"),
			Settings: map[string]string{"hot_standby": "off"},
		})
		started <- err
	}()
	must.Until(t, "it answers", func() bool {
		_, err := server.Connect(t.Context(), server.URL(recovers, server.Superuser, "postgres"))
		refused, ok := errors.AsType[*pgconn.PgError](err)
		return ok && refused.Code == "57P03"
	})
	waits, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	err = server.Ready(waits, recovers, time.Second)
	assert.Thatf(t, errors.Is(err, context.DeadlineExceeded) && !strings.Contains(err.Error(), "for 1s"), "a server that recovers: %v", err)
	stop()
	if err := <-started; !errors.Is(err, context.Canceled) {
		t.Errorf("it ended with %v", err)
	}
}
