package pgtest_test

import (
	"bufio"
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres"
	"onlyonce/internal/postgres/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

func TestNewIsMigratedAndUnprivileged(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	must.OK(t, postgres.SchemaCurrent(t.Context(), db.Pool))
	var who string
	if err := db.Pool.QueryRow(t.Context(), `
		SELECT format('%s super=%s bypassrls=%s', current_user, rolsuper, rolbypassrls)
		FROM pg_roles JOIN pg_database ON datdba = pg_roles.oid
		WHERE rolname = current_user AND datname = current_database()`,
	).Scan(&who); err != nil || who != "onlyonce super=f bypassrls=f" {
		t.Errorf("owner of the database: %s (%v)", who, err)
	}
	if err := db.Admin().QueryRow(t.Context(), "SELECT current_user").Scan(&who); err != nil || who != "postgres" {
		t.Errorf("administrator: %s (%v)", who, err)
	}
}

// holdOpen makes the test below print its server's address and wait to be killed.
const holdOpen = "ONLYONCE_PGTEST_HOLD_OPEN"

func TestKilledProcessLeavesNothing(t *testing.T) {
	t.Parallel()
	if os.Getenv(holdOpen) != "" {
		fmt.Fprintln(os.Stdout, pgtest.New(t).URL)
		<-t.Context().Done()
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestKilledProcessLeavesNothing$")
	cmd.Env = append(os.Environ(), holdOpen+"=1")
	out, err := cmd.StdoutPipe()
	must.OK(t, err)
	must.OK(t, cmd.Start())
	line := bufio.NewScanner(out)
	line.Scan()
	address, err := url.Parse(line.Text())
	must.OK(t, err)
	dir := address.Query().Get("host")
	if _, err := os.Stat(filepath.Join(dir, "data")); err != nil {
		t.Fatal(err)
	}
	must.OK(t, cmd.Process.Kill())
	_ = cmd.Wait()

	must.Until(t, "its directory is gone", func() bool {
		_, err := os.Stat(dir)
		return os.IsNotExist(err)
	})
}

// failing is a test that must end early.
type failing struct {
	testing.TB

	message string
}

func (f *failing) Fatalf(format string, args ...any) {
	f.message = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// TestFailedTemplate checks that a test that ends while it fills a template fails with its reason, and that later tests with the
// template fail too.
func TestFailedTemplate(t *testing.T) {
	t.Parallel()
	var first *failing
	template := pgtest.Template{Fill: func(context.Context, *pgtest.Database) error {
		first.Fatalf("no such table")
		return nil
	}}
	for _, want := range []string{"no such table", "has failed meanwhile"} {
		f := &failing{TB: t}
		if first == nil {
			first = f
		}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			template.New(f)
		}()
		<-ended
		assert.Thatf(t, strings.Contains(f.message, want), "got %q, want %q", f.message, want)
	}
}
