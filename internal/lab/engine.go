package lab

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
)

// Config configures a lab. A zero field has the default that its comment names.
type Config struct {
	Program   string        // path of the server; this process's program if empty
	Log       *slog.Logger  // never gets secrets
	Dir       string        // for all files; in memory if there is room, else /tmp
	Keep      bool          // keep the databases of finished runs until the lab closes, for tests
	AtOnce    int           // runs; 2
	Waiting   int           // most runs that wait for others; 30
	PerMinute int           // runs per visitor; 10
	RunTime   time.Duration // longest run; 30 seconds
	Idle      time.Duration // after which the database stops; 5 minutes
	Room      int64         // bytes that must be free in Dir; 200 MB
	Results   int           // that are kept; 200
	ResultAge time.Duration // how long a result is kept; 30 minutes
}

// Lab carries out experiments. Its methods may be called concurrently.
type Lab struct {
	config Config

	starting sync.Mutex      // guards the start of the site
	alive    context.Context //nolint:containedctx // ends with the lab
	close    context.CancelFunc
	running  sync.WaitGroup

	mu     sync.Mutex
	closed bool
	site   *site       // nil while unused
	kept   []*cluster  // see Config.Keep
	users  int         // of the site
	idle   *time.Timer // stops the site
	runs   []*run      // the newest last
	queue  []*run
	busy   []*run
}

// New returns a lab. It starts nothing until the first order.
func New(c Config) (*Lab, error) {
	if c.Program == "" {
		program, err := os.Executable()
		if err != nil {
			return nil, fmt.Errorf("find the program: %w", err)
		}
		c.Program = program
	}
	c.AtOnce, c.Waiting, c.PerMinute = cmp.Or(c.AtOnce, 2), cmp.Or(c.Waiting, 30), cmp.Or(c.PerMinute, 10)
	c.RunTime, c.Idle = cmp.Or(c.RunTime, 30*time.Second), cmp.Or(c.Idle, 5*time.Minute)
	c.Room, c.Results, c.ResultAge = cmp.Or(c.Room, leastRoom), cmp.Or(c.Results, 200), cmp.Or(c.ResultAge, 30*time.Minute)
	l := &Lab{config: c}
	l.alive, l.close = context.WithCancel(context.Background())
	return l, nil
}

// Start orders a run, and returns when the run has begun or waits for others. An order with the ID of an earlier run of the same
// visitor changes nothing. The error is [ErrUnknown], a [*TooManyError], a [*FullError], an [*UnavailableError], or [ErrClosed].
func (l *Lab) Start(ctx context.Context, o Order) error {
	r, err := newRun(o)
	if err != nil {
		return err
	}
	if known, err := l.admit(r, false); known || err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, starting)
	defer cancel()
	if err := l.warm(ctx); err != nil {
		return err
	}
	known, err := l.admit(r, true)
	if known || err != nil {
		l.release()
	}
	return err
}

// starting bounds the start of PostgreSQL.
const starting = 30 * time.Second

func (l *Lab) find(id uuid.UUID, visitor string) (*run, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.forget()
	n := slices.IndexFunc(l.runs, func(r *run) bool { return r.order.ID == id && r.order.Visitor == visitor })
	if n < 0 {
		return nil, false
	}
	return l.runs[n], true
}

// Result returns the current result of a visitor's run, and whether the run exists.
func (l *Lab) Result(id uuid.UUID, visitor string) (_ Result, ok bool) {
	r, ok := l.find(id, visitor)
	if !ok {
		return Result{}, false
	}
	seen, _ := r.look()
	return seen, true
}

// Watch returns the current result of a run and each newer one, until the run is over or ctx ends. It yields nothing for an unknown
// run.
func (l *Lab) Watch(ctx context.Context, id uuid.UUID, visitor string) iter.Seq[Result] {
	r, ok := l.find(id, visitor)
	if !ok {
		return func(func(Result) bool) {}
	}
	return r.watch(ctx)
}

// Close ends all runs and removes all files of the lab. It may be called twice.
func (l *Lab) Close(ctx context.Context) error {
	l.mu.Lock()
	again := l.closed
	l.closed = true
	for _, r := range l.queue {
		r.over = time.Now()
		r.update(func(result *Result) { result.State, result.Problem = Failed, ErrClosed.Error() })
	}
	l.queue = nil
	l.mu.Unlock()
	if again {
		return nil
	}
	l.close()
	l.running.Wait()
	l.starting.Lock()
	defer l.starting.Unlock()
	if l.idle != nil {
		l.idle.Stop()
	}
	var errs []error
	for _, c := range l.kept {
		errs = append(errs, c.stop(ctx))
	}
	if l.site != nil {
		errs = append(errs, l.site.stop(ctx))
	}
	return errors.Join(errs...)
}
