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

// Config is where the lab runs and what it may use. What is zero has a default.
type Config struct {
	Program   string        // the server; that of this process if empty
	Log       *slog.Logger  // never gets secrets
	Dir       string        // for everything; in memory if there is room, else /tmp
	Keep      bool          // the databases of finished runs stay until the lab closes: for tests
	AtOnce    int           // runs; 2
	Waiting   int           // runs that wait for others at most; 30
	PerMinute int           // runs of one visitor; 10
	RunTime   time.Duration // of one run at most; 30 seconds
	Idle      time.Duration // after which the database stops; 5 minutes
	Room      int64         // bytes that must be free in Dir; 200 MB
	Results   int           // that are kept; 200
	ResultAge time.Duration // how long a result is kept; 30 minutes
}

// Lab carries out experiments. Its methods may be called at once.
type Lab struct {
	config Config

	starting sync.Mutex      // of the site
	alive    context.Context //nolint:containedctx // the life of the lab
	close    context.CancelFunc
	running  sync.WaitGroup

	mu     sync.Mutex
	closed bool
	site   *site       // nil while nobody needs it
	kept   []*cluster  // see Config.Keep
	users  int         // of the site
	idle   *time.Timer // stops the site
	runs   []*run      // the newest last
	queue  []*run
	busy   []*run
}

// New makes a lab, which starts nothing until the first order.
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

// Start orders a run, and returns when it is begun or waits for others. An order with the ID of a run of the same visitor
// changes nothing. It returns [ErrUnknown], a [*TooManyError], a [*FullError], an [*UnavailableError], or [ErrClosed].
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

// find returns a run of a visitor.
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

// Result is what is known of a run of a visitor. It is not ok if there is none, or not any more.
func (l *Lab) Result(id uuid.UUID, visitor string) (_ Result, ok bool) {
	r, ok := l.find(id, visitor)
	if !ok {
		return Result{}, false
	}
	seen, _ := r.look()
	return seen, true
}

// Watch returns what is known of a run, and each newer result, until it is over or ctx ends: nothing if there is no such run.
func (l *Lab) Watch(ctx context.Context, id uuid.UUID, visitor string) iter.Seq[Result] {
	r, ok := l.find(id, visitor)
	if !ok {
		return func(func(Result) bool) {}
	}
	return r.watch(ctx)
}

// Close ends what runs, and removes everything of the lab. Closing twice is fine.
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
