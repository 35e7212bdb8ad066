package lab

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"onlyonce/internal/postgres/server"
)

// admit checks an order, and adds it to the runs if really is true. known reports whether it was added before.
func (l *Lab) admit(r *run, really bool) (known bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return false, ErrClosed
	}
	l.forget()
	now, recent, oldest := time.Now(), 0, time.Now()
	for _, other := range l.runs {
		if other.order.ID == r.order.ID {
			if other.order.Visitor != r.order.Visitor {
				return false, ErrUnknown
			}
			return true, nil
		}
		if other.order.Visitor != r.order.Visitor {
			continue
		}
		if other.over.IsZero() {
			return false, &TooManyError{Running: true}
		}
		if began := other.result.Began; now.Sub(began) < time.Minute {
			recent++
			if began.Before(oldest) {
				oldest = began
			}
		}
	}
	if recent >= l.config.PerMinute {
		return false, &TooManyError{After: time.Minute - now.Sub(oldest)}
	}
	if len(l.queue) >= l.config.Waiting {
		return false, &FullError{Waiting: len(l.queue)}
	}
	if really {
		l.runs = append(l.runs, r)
		l.queue = append(l.queue, r)
		l.dispatch()
	}
	return false, nil
}

// forget drops results that are too old or too many.
func (l *Lab) forget() {
	surplus := len(l.runs) - l.config.Results
	l.runs = slices.DeleteFunc(l.runs, func(r *run) bool {
		if r.over.IsZero() {
			return false
		}
		surplus--
		return surplus >= 0 || time.Since(r.over) > l.config.ResultAge
	})
}

// dispatch starts the runs that may begin, and updates the queue positions of the others.
func (l *Lab) dispatch() {
	alone := func(r *run) bool { return r.script.alone }
	for n := 0; n < len(l.queue) && len(l.busy) < l.config.AtOnce; {
		r := l.queue[n]
		if alone(r) && slices.ContainsFunc(l.busy, alone) {
			n++
			continue
		}
		l.queue = slices.Delete(l.queue, n, n+1)
		l.busy = append(l.busy, r)
		on := l.site // stays until release
		l.running.Go(func() { l.carryOut(r, on) })
	}
	for n, r := range l.queue {
		ahead := n + len(l.busy)
		r.update(func(result *Result) { result.Ahead = ahead })
	}
}

// carryOut performs a run and starts the next one.
func (l *Lab) carryOut(r *run, on *site) {
	r.update(func(result *Result) { result.State, result.Ahead = Running, 0 })
	ctx, cancel := context.WithTimeout(l.alive, l.config.RunTime)
	defer cancel()
	err := l.performOn(ctx, r, on)
	state, problem := Done, ""
	if err != nil {
		state, problem = Failed, "The lab itself failed, so this run proves nothing. Please try again."
		if ctx.Err() != nil {
			problem = "The run took too long and was stopped. Please try again."
		}
		l.config.Log.WarnContext(ctx, "a run of the lab failed", "experiment", r.script.Slug, "error", err)
	}
	l.mu.Lock()
	r.over = time.Now()
	l.busy = slices.DeleteFunc(l.busy, func(other *run) bool { return other == r })
	l.dispatch()
	l.mu.Unlock()
	l.release()
	r.update(func(result *Result) { result.State, result.Problem = state, problem })
}

func (l *Lab) performOn(ctx context.Context, r *run, on *site) error {
	if !r.script.alone {
		return r.perform(ctx, l, on.leash, on.cluster)
	}
	own, err := on.startCluster(ctx, r.order.ID.String()[:8])
	if err != nil {
		return err
	}
	err = r.perform(ctx, l, on.leash, own)
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), ending)
	defer cancel()
	if l.config.Keep {
		l.mu.Lock()
		l.kept = append(l.kept, own)
		l.mu.Unlock()
		return err
	}
	return errors.Join(err, own.stop(ending))
}

// warm starts the site if necessary, and keeps it running until release. The error is an [*UnavailableError] or [ErrClosed].
func (l *Lab) warm(ctx context.Context) error {
	l.starting.Lock()
	defer l.starting.Unlock()
	if err := l.start(ctx); err != nil {
		l.config.Log.WarnContext(ctx, "the lab cannot start", "error", err, "cause", errors.Unwrap(err))
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return ErrClosed
	}
	l.users++
	if l.idle != nil {
		l.idle.Stop()
	}
	return nil
}

func (l *Lab) start(ctx context.Context) error {
	if l.site != nil {
		select {
		case <-l.site.cluster.process.Done(): // the server has ended
			_ = l.site.stop(ctx)
		default:
			return nil
		}
	}
	dir, err := place(l.config.Dir, l.config.Room)
	if err != nil {
		return err
	}
	started, err := newSite(ctx, dir)
	if _, missing := errors.AsType[*server.NoProgramsError](err); missing {
		return &UnavailableError{Reason: "It needs a PostgreSQL of its own, and finds no programs of PostgreSQL here.", Err: err}
	}
	if full, ok := errors.AsType[*server.InitError](err); ok {
		return &UnavailableError{
			Reason: fmt.Sprintf("It could not make its database; there are %d MB free. The log of the app says why.", full.Free), Err: err,
		}
	}
	if err != nil {
		return &UnavailableError{Reason: "Its own PostgreSQL did not start. The log of the app says why.", Err: err}
	}
	l.mu.Lock()
	l.site = started
	l.mu.Unlock()
	return nil
}

// release ends one run's use of the site.
func (l *Lab) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.users--
	if l.users == 0 && !l.closed {
		if l.idle != nil {
			l.idle.Stop()
		}
		l.idle = time.AfterFunc(l.config.Idle, l.rest)
	}
}

// rest stops the site if it is unused.
func (l *Lab) rest() {
	l.starting.Lock()
	defer l.starting.Unlock()
	l.mu.Lock()
	unused := l.site
	if l.users > 0 || l.closed {
		unused = nil
	}
	if unused != nil {
		l.site = nil
	}
	l.mu.Unlock()
	if unused == nil {
		return
	}
	ctx, cancel := context.WithTimeout(l.alive, ending)
	defer cancel()
	if err := unused.stop(ctx); err != nil {
		l.config.Log.WarnContext(ctx, "the PostgreSQL of the lab did not stop in order", "error", err)
	}
}
