package pgtest_test

import (
	"bufio"
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"onlyonce/internal/postgres"
	"onlyonce/internal/postgres/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

func TestNewIsMigratedAndUnprivileged(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	if err := postgres.SchemaCurrent(t.Context(), db.Pool); err != nil {
		t.Error(err)
	}
	var who string
	if err := db.Pool.QueryRow(t.Context(), `
		SELECT format('%s super=%s bypassrls=%s', current_user, rolsuper, rolbypassrls)
		FROM pg_roles JOIN pg_database ON datdba = pg_roles.oid
		WHERE rolname = current_user AND datname = current_database()`,
	).Scan(&who); err != nil || who != "onlyonce super=f bypassrls=f" {
		t.Errorf("owner of the database: %s (%v)", who, err)
	}
	if err := db.Admin(t).QueryRow(t.Context(), "SELECT current_user").Scan(&who); err != nil || who != "postgres" {
		t.Errorf("administrator: %s (%v)", who, err)
	}
}

func TestNewSharesNothing(t *testing.T) {
	t.Parallel()
	for range 4 {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			db := pgtest.New(t)
			if _, err := db.Pool.Exec(t.Context(), "CREATE TABLE mine (n int)"); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestNewCleansUp(t *testing.T) { //nolint:tparallel // the inner test has to end first
	t.Parallel()
	admin := pgtest.New(t).Admin(t)
	var name string
	t.Run("a test that leaves a connection open", func(t *testing.T) {
		db := pgtest.New(t)
		name = db.Pool.Config().ConnConfig.Database
		if _, err := pgx.Connect(context.Background(), db.URL); err != nil {
			t.Fatal(err)
		}
	})
	var left int
	err := admin.QueryRow(t.Context(), "SELECT count(*) FROM pg_database WHERE datname = $1", name).Scan(&left)
	if err != nil || left != 0 {
		t.Errorf("%d databases %q left (%v)", left, name, err)
	}
}

// holdOpen makes the test below announce its server and wait to be killed.
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
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line := bufio.NewScanner(out)
	line.Scan()
	address, err := url.Parse(line.Text())
	if err != nil {
		t.Fatal(err)
	}
	dir := address.Query().Get("host")
	if _, err := os.Stat(filepath.Join(dir, "data")); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()

	deadline := time.After(30 * time.Second)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		if _, err := os.Stat(dir); os.IsNotExist(err) {
			return
		}
		select {
		case <-deadline:
			t.Fatalf("%s is still there", dir)
		case <-tick.C:
		}
	}
}
