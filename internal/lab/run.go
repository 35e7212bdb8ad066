package lab

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"onlyonce/internal/postgres/server"
	"onlyonce/internal/proof/replica"
	"onlyonce/internal/value/money"
)

// run is an order with its current result.
type run struct {
	order   Order
	script  script
	without []Layer
	lanes   [][]lane
	keys    [][]string
	over    time.Time // zero while it is under way
	kept    []string  // URLs of the sides' databases, with Config.Keep

	mu      sync.Mutex
	result  Result
	changed chan struct{} // closed at the next change
}

func newRun(o Order) (*run, error) {
	r := &run{order: o, changed: make(chan struct{})}
	all := scripts()
	n := slices.IndexFunc(all, func(s script) bool { return s.Slug == o.Experiment })
	if n < 0 || o.ID == uuid.Nil || o.Sent < 0 {
		return nil, ErrUnknown
	}
	r.script = all[n]
	for _, slug := range o.Without {
		if !slices.ContainsFunc(r.script.Layers, func(l Layer) bool { return l.Slug == slug }) {
			return nil, ErrUnknown
		}
	}
	for _, layer := range r.script.Layers { // each once, in their order
		if slices.Contains(o.Without, layer.Slug) {
			r.without = append(r.without, layer)
		}
	}
	sides, lanes, keys := r.script.begin(o, r.without)
	r.lanes, r.keys = lanes, keys
	r.result = Result{ID: o.ID, Experiment: r.script.Experiment, Without: r.without, State: Waiting, Sides: sides, Began: time.Now().UTC()}
	return r, nil
}

// update changes the result and wakes its watchers.
func (r *run) update(change func(*Result)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(&r.result)
	close(r.changed)
	r.changed = make(chan struct{})
}

// look returns a copy of the result, and a channel that is closed when there is a newer one.
func (r *run) look() (Result, <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	seen := r.result
	seen.Sides = slices.Clone(seen.Sides)
	for n, side := range seen.Sides {
		seen.Sides[n].Attempts = slices.Clone(side.Attempts)
		seen.Sides[n].Events = slices.Clone(side.Events)
	}
	return seen, r.changed
}

// Over reports whether the run has ended.
func (s State) Over() bool { return s == Done || s == Failed }

// watch yields each newer result until the run is over or ctx ends.
func (r *run) watch(ctx context.Context) iter.Seq[Result] {
	return func(yield func(Result) bool) {
		for {
			seen, changed := r.look()
			if !yield(seen) || seen.State.Over() {
				return
			}
			select {
			case <-changed:
			case <-ctx.Done():
				return
			}
		}
	}
}

// perform carries out the run, one side after the other.
func (r *run) perform(ctx context.Context, l *Lab, leash *replica.Leash, c *cluster) error {
	for side := range r.result.Sides {
		if err := r.performSide(ctx, l, leash, c, side); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) performSide(ctx context.Context, l *Lab, leash *replica.Leash, c *cluster, side int) (err error) {
	gone := [][]Layer{nil, r.without}[side]
	s := &stage{
		program: l.config.Program, leash: leash, cluster: c, run: r, side: side, left: remain(r.script.Layers, gone),
		lanes: r.lanes[side], keys: r.keys[side],
		client: &http.Client{
			Transport:     &http.Transport{DisableKeepAlives: true},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		marks: map[string]int{},
	}
	if r.order.Sent == 0 { // the effect of the form lock is unknown
		s.left = slices.DeleteFunc(s.left, func(slug string) bool { return slug == formLock })
	}
	defer func() {
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), ending)
		defer cancel()
		err = errors.Join(err, s.remove(ending, l.config.Keep))
	}()
	if err := s.build(ctx, r.script, gone); err != nil {
		return err
	}
	if l.config.Keep {
		r.kept = append(r.kept, server.URL(c.dir, server.Superuser, s.database))
	}
	s.began = time.Now()
	if err := r.script.play(ctx, s); err != nil {
		return fmt.Errorf("%w%s", err, s.log())
	}
	return s.finish(ctx)
}

// ending bounds the cleanup after a side.
const ending = 10 * time.Second

// euros formats cents for people: "€6,150.00".
func euros(cents int64) string {
	euro, _ := money.ParseCurrency("EUR")
	return "€" + euro.Display(cents)
}

// finish counts the records and finds the attempt that made each one.
func (s *stage) finish(ctx context.Context) error {
	script := s.run.script
	columns, rows, err := selected(ctx, s.admin, script.counts)
	if err != nil {
		return fmt.Errorf("count: %w", err)
	}
	told, _ := s.admin.Query(ctx, script.marks) // the rows have its error
	marks, err := pgx.CollectRows(told, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("tell what was made: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.run.update(func(r *Result) {
		side := &r.Sides[s.side]
		side.Columns, side.Rows, side.Things, side.Done = columns, rows, len(rows), true
		if script.amount > 0 {
			side.Amount = script.amount * int64(len(rows))
			side.Money, side.Meant = euros(side.Amount), euros(script.amount)
		}
		unanswered := s.committed
		for row, mark := range marks {
			n, answered := s.marks[mark]
			if !answered && len(unanswered) > 0 {
				n, unanswered = unanswered[0], unanswered[1:]
			} else if !answered {
				continue
			}
			side.Attempts[n].Row = row + 1
		}
	})
	return nil
}

// selected returns the result of a SELECT as text.
func selected(ctx context.Context, on interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}, sql string,
) (columns []string, rows [][]string, err error) {
	found, err := on.Query(ctx, sql, pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		return nil, nil, err
	}
	for _, field := range found.FieldDescriptions() {
		columns = append(columns, field.Name)
	}
	rows, err = pgx.CollectRows(found, func(row pgx.CollectableRow) (cells []string, err error) {
		for _, value := range row.RawValues() {
			cells = append(cells, string(value))
		}
		return cells, nil
	})
	return columns, rows, err
}
