package lab

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
)

func TestEightVisitorsAtOnce(t *testing.T) {
	t.Parallel()
	dir := pgtest.Home(t)
	l := newLab(t, Config{Dir: dir})
	must.OK(t, l.Start(t.Context(), Order{ID: uuid.New(), Visitor: "before", Experiment: "two-tabs"}))
	var (
		all    sync.WaitGroup
		mu     sync.Mutex
		waited int // visitors who saw that others come first
	)
	for n := range 8 {
		all.Go(func() {
			o := Order{ID: uuid.New(), Visitor: fmt.Sprint(n), Experiment: "two-tabs", Without: []string{intent}}
			if err := l.Start(t.Context(), o); err != nil {
				t.Error(err)
				return
			}
			var last Result
			told := false
			for last = range l.Watch(t.Context(), o.ID, o.Visitor) {
				told = told || last.State == Waiting && last.Ahead > 0
				l.mu.Lock()
				assert.Thatf(t, len(l.busy) <= l.config.AtOnce, "%d runs at once", len(l.busy))
				l.mu.Unlock()
			}
			assert.Thatf(t, last.State == Done && last.Sides[0].Things == 1 && last.Sides[1].Things == 2,
				"visitor %d: %s %s %+v", n, last.State, last.Problem, last.Sides)
			mu.Lock()
			defer mu.Unlock()
			if told {
				waited++
			}
		})
	}
	all.Wait()
	assert.Thatf(t, waited >= 3, "%d visitors had to wait", waited)
	l.running.Wait()
	nothingRuns(t, l)
}

// nothingRuns checks that the runs have left no database, process or file.
func nothingRuns(t *testing.T, l *Lab) {
	t.Helper()
	var left int
	err := l.site.cluster.admin.QueryRow(t.Context(), `SELECT count(*) FROM pg_database WHERE datname LIKE 'run%'`).Scan(&left)
	assert.Thatf(t, err == nil && left <= 0, "%d databases are left, %v", left, err)
	for _, name := range list(t, l.site.cluster.dir) {
		assert.Thatf(t, !strings.HasPrefix(name, "run"), "%s is left", name)
	}
	if left := list(t, l.site.dir); len(left) != 1 {
		t.Errorf("left are %v", left)
	}
	for _, name := range group(t, l.site.leash.Group) {
		assert.Thatf(t, name == "sh" || name == "cat", "process %s is left", name)
	}
}

func TestEachVisitorIsBounded(t *testing.T) {
	t.Parallel()
	l := newLab(t, Config{PerMinute: 2})
	first := Order{ID: uuid.New(), Visitor: "Ada", Experiment: "lost-answer"}
	must.OK(t, l.Start(t.Context(), first))
	var many *TooManyError
	err := l.Start(t.Context(), Order{ID: uuid.New(), Visitor: "Ada", Experiment: "lost-answer"})
	assert.Thatf(t, errors.As(err, &many) && many.Running, "a second run at once: %v", err)
	await(t, l, first)
	second := Order{ID: uuid.New(), Visitor: "Ada", Experiment: "lost-answer"}
	must.OK(t, l.Start(t.Context(), second))
	await(t, l, second)
	err = l.Start(t.Context(), Order{ID: uuid.New(), Visitor: "Ada", Experiment: "lost-answer"})
	assert.Thatf(t, errors.As(err, &many) && !many.Running && many.After > 0 && many.After <= time.Minute,
		"a third run in a minute: %v", err)
	if err := l.Start(t.Context(), first); err != nil {
		t.Errorf("the first order again: %v", err)
	}
	first.Visitor = "Ben"
	if err := l.Start(t.Context(), first); !errors.Is(err, ErrUnknown) {
		t.Errorf("another visitor's ID: %v", err)
	}
	_, ok := l.Result(first.ID, "Ben")
	assert.Thatf(t, !ok, "another visitor sees the result")
	for range l.Watch(t.Context(), first.ID, "Ben") {
		t.Error("another visitor watches")
	}
	if err := l.Start(t.Context(), Order{ID: uuid.New(), Visitor: "Ben", Experiment: "lost-answer"}); err != nil {
		t.Errorf("another visitor: %v", err)
	}
}

func TestQueueIsBounded(t *testing.T) {
	t.Parallel()
	l := newLab(t, Config{AtOnce: 1, Waiting: 1})
	var full *FullError
	for n, want := range []bool{false, false, true} {
		err := l.Start(t.Context(), Order{ID: uuid.New(), Visitor: fmt.Sprint(n), Experiment: "kill"})
		assert.Thatf(t, errors.As(err, &full) == want && (want || err == nil), "order %d: %v", n, err)
	}
}

func TestResultsAreForgotten(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]Config{"too many": {Results: 1}, "too old": {ResultAge: time.Nanosecond}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t, c)
			first := Order{ID: uuid.New(), Visitor: "Ada", Experiment: "two-tabs"}
			must.OK(t, l.Start(t.Context(), first))
			l.running.Wait()
			second := Order{ID: uuid.New(), Visitor: "Ben", Experiment: "two-tabs"}
			must.OK(t, l.Start(t.Context(), second))
			if _, ok := l.Result(first.ID, "Ada"); ok {
				t.Error("the first result is still there")
			}
			if _, ok := l.Result(second.ID, "Ben"); !ok {
				t.Error("the run that is under way is forgotten")
			}
		})
	}
}

func TestRunIsBoundedInTime(t *testing.T) {
	t.Parallel()
	l := newLab(t, Config{RunTime: time.Millisecond})
	o := Order{ID: uuid.New(), Visitor: "Ada", Experiment: "kill"}
	must.OK(t, l.Start(t.Context(), o))
	last := await(t, l, o)
	assert.Thatf(t, last.State == Failed && strings.Contains(last.Problem, "took too long"), "%s %s", last.State, last.Problem)
	l.running.Wait()
	nothingRuns(t, l)
}

func TestUnknownOrders(t *testing.T) {
	t.Parallel()
	l := newLab(t, Config{})
	for name, o := range map[string]Order{
		"experiment": {ID: uuid.New(), Experiment: "everything"},
		"layer":      {ID: uuid.New(), Experiment: "two-tabs", Without: []string{"form-lock"}},
		"no ID":      {Experiment: "two-tabs"},
		"clicks":     {ID: uuid.New(), Experiment: "five-clicks", Sent: -1},
	} {
		err := l.Start(t.Context(), o)
		assert.Thatf(t, errors.Is(err, ErrUnknown), "%s: %v", name, err)
	}
}

// TestFormLockOfTheVisitor sends as many clicks as the visitor's browser let through, on the side with the form lock only.
func TestFormLockOfTheVisitor(t *testing.T) {
	t.Parallel()
	result := order(t, sharedLab(t), "five-clicks", 1, formLock)
	for n, sent := range []int{1, 5} {
		for _, a := range result.Sides[n].Attempts {
			stopped := a.Outcome == NotSent && fmt.Sprint(a.Met) == "[form-lock]" && a.Key == "" && a.Says != ""
			assert.Thatf(t, stopped != (a.N <= sent), "side %d: %+v", n, a)
		}
	}
	met := fmt.Sprint(result.Sides[0].Attempts[0].Met)
	assert.Thatf(t, met == "[form-lock intent]", "the first click met %s", met)
	assert.Thatf(t, result.Sides[1].Things == 1, "%d invoices of five clicks with one key", result.Sides[1].Things)
}
