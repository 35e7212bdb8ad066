package server_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"onlyonce/internal/must"
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
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	must.OK(t, os.WriteFile(filepath.Join(dir, "thesis.txt"), []byte("my only copy"), 0o600))
	err = server.Init(t.Context(), programs, account, dir, false, nil)
	var failed *server.InitError
	if !errors.As(err, &failed) || failed.Dir != dir || failed.Program != "initdb" {
		t.Fatalf("got %v", err)
	}
	for _, part := range []string{dir, account.String(), "DATA_DIR", "DATABASE_URL", "disk", "exists but is not empty"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("nothing about %q in: %v", part, err)
		}
	}
	if strings.Contains(err.Error(), "%!") {
		t.Error(err)
	}
	t.Log(err)
}

func TestInitWithoutRoom(t *testing.T) {
	t.Parallel()
	for free, want := range map[int64]bool{1: true, 99: true, 100: false, 0: false} {
		err := &server.InitError{Free: free, Err: os.ErrPermission}
		if got := strings.Contains(err.Error(), "MB are free"); got != want {
			t.Errorf("%d MB: %v", free, err)
		}
	}
}
