package bench

import (
	"errors"
	"io/fs"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/procfs"

	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/proof/must"
)

// near is a database of a test.
func near(t *testing.T) database {
	t.Helper()
	return as(t, pgtest.New(t))
}

func TestWhatPassesAWire(t *testing.T) {
	t.Parallel()
	w, err := watch(t.Context(), near(t), 0)
	must.OK(t, err)
	defer w.close()
	conn, err := pgx.Connect(t.Context(), w.url())
	must.OK(t, err)
	defer conn.Close(t.Context())
	var three pgx.Batch
	for range 3 {
		three.Queue(`SELECT 1`)
	}
	pipeline := func() error { return conn.SendBatch(t.Context(), &three).Close() }
	if err := pipeline(); err != nil { // prepares
		t.Fatal(err)
	}
	// What has passed may be counted after it was answered.
	counted := func(statements int64) int64 {
		over := time.Now().Add(10 * time.Second)
		for w.statements.Load() < statements && time.Now().Before(over) {
			runtime.Gosched()
		}
		return w.statements.Load()
	}
	counted(3)
	for name, c := range map[string]struct {
		do   func() error
		want exchange
	}{
		"several in a pipeline":  {pipeline, exchange{trips: 1, statements: 3}},
		"several in one message": {func() error { _, err := conn.Exec(t.Context(), `SELECT 1; SELECT 2`); return err }, exchange{1, 1}},
		"a transaction": {func() error {
			return pgx.BeginFunc(t.Context(), conn, func(tx pgx.Tx) error { _, err := tx.Exec(t.Context(), `SELECT 1`); return err })
		}, exchange{3, 3}},
	} {
		trips, statements := w.trips.Load(), w.statements.Load()
		must.OK(t, c.do())
		if got := (exchange{w.trips.Load() - trips, counted(statements+c.want.statements) - statements}); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// TestTimeOfProcesses counts what a connection has cost that has ended.
func TestTimeOfProcesses(t *testing.T) {
	t.Parallel()
	if _, err := procfs.Self(); errors.Is(err, fs.ErrNotExist) {
		return // not measured here
	}
	db := near(t)
	postgres, err := db.pid(t.Context())
	must.OK(t, err)
	before, err := timeOf(os.Getpid(), postgres)
	must.OK(t, err)
	must.OK(t, db.exec(t.Context(), `SELECT count(*) FROM generate_series(1, 3000000)`))
	after := before
	must.Until(t, "the time of the connection", func() bool { // PostgreSQL may not have noticed its end yet
		after, err = timeOf(os.Getpid(), postgres)
		return err != nil || after.postgres-before.postgres >= 0.1
	})
	if err != nil || after.server < before.server {
		t.Errorf("before %+v, after %+v, %v", before, after, err)
	}
	if _, err := timeOf(os.Getpid(), 1<<30); err == nil {
		t.Error("the time of a PostgreSQL that does not run")
	}
}
