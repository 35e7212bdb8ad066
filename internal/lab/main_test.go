package lab

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/proof/replica"
)

// program builds the server once, and shared is the lab of the tests that can share one. They are package variables because
// TestMain has no other way to share values with tests.
var (
	scratch string
	program = sync.OnceValues(func() (string, error) {
		return replica.Build(context.Background(), scratch, "onlyonce/cmd/server")
	})
	shared = sync.OnceValues(func() (*Lab, error) {
		path, err := program()
		if err != nil {
			return nil, err
		}
		log := slog.New(slog.NewTextHandler(os.Stderr, nil))
		return New(Config{Program: path, Log: log, Keep: true, AtOnce: 3, Waiting: 1000, RunTime: 2 * time.Minute})
	})
	sharing atomic.Bool // a test has used shared
)

func TestMain(m *testing.M) {
	code, err := inScratch(m.Run)
	if err != nil {
		fmt.Fprintln(os.Stderr, "lab:", err)
		code = max(code, 1)
	}
	os.Exit(code)
}

func inScratch(run func() int) (code int, err error) {
	if scratch, err = os.MkdirTemp("", "onlyonce-lab-test-"); err != nil {
		return 1, err
	}
	defer os.RemoveAll(scratch)
	code = run()
	if !sharing.Load() {
		return code, nil
	}
	l, err := shared()
	if err != nil {
		return 1, err
	}
	return code, l.Close(context.Background())
}

// sharedLab returns a lab that keeps the databases of its runs.
func sharedLab(t *testing.T) *Lab {
	t.Helper()
	pgtest.Long(t)
	sharing.Store(true)
	l, err := shared()
	must.OK(t, err)
	return l
}

// newLab returns a lab that is closed at the end of the test.
func newLab(t *testing.T, c Config) *Lab {
	t.Helper()
	pgtest.Long(t)
	path, err := program()
	must.OK(t, err)
	c.Program, c.Log = path, slog.New(slog.NewTextHandler(t.Output(), nil))
	l, err := New(c)
	must.OK(t, err)
	t.Cleanup(func() {
		err := l.Close(context.Background())
		assert.Thatf(t, err == nil, "%v", err)
	})
	return l
}

// order orders a run and waits for its end.
func order(t *testing.T, l *Lab, experiment string, sent int, without ...string) Result {
	t.Helper()
	o := Order{ID: uuid.New(), Visitor: t.Name(), Experiment: experiment, Without: without, Sent: sent}
	must.OK(t, l.Start(t.Context(), o))
	last := await(t, l, o)
	must.Thatf(t, last.State == Done, "%s: %s", last.State, last.Problem)
	return last
}

// await waits for the end of a run.
func await(t *testing.T, l *Lab, o Order) (last Result) {
	t.Helper()
	for seen := range l.Watch(t.Context(), o.ID, o.Visitor) {
		last = seen
	}
	must.Thatf(t, last.State.Over(), "%+v", last)
	return last
}
