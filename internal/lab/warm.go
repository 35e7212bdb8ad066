package lab

import (
	"context"
	"errors"
	"fmt"
	"time"

	"onlyonce/internal/postgres/server"
)

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
