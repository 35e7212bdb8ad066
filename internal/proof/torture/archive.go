package torture

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"onlyonce/internal/postgres/server"
)

// Archive keeps the server's WAL elsewhere, for a restore to a point in time. In the middle of the run a moment is chosen.
// Afterwards the server is restored to it, and the clients ask again for the intents that they had begun.
type Archive struct {
	// Start creates an empty archive in dir, before the server starts, and returns the server's settings for it.
	Start func(ctx context.Context, dir string, database server.Config) (settings map[string]string, err error)
	// Backup makes a base backup of the running server.
	Backup func(ctx context.Context) error
	// Restore fills the data directory of the stopped server. When the server starts, it recovers up to the moment.
	Restore func(ctx context.Context, moment time.Time) error
}

// target is the moment that the server is restored to.
type target struct {
	at           time.Time
	before, past time.Duration     // bounds of the moment, since the start of the run
	answered     map[origin]string // answers to programs up to the moment
}

// halfway waits until half of the intents have begun, and records the moment.
func halfway(ctx context.Context, cfg Config, people *clients, others *programs) (t target) {
	for people.intents() < cfg.Intents/2 && ctx.Err() == nil {
		Pause(ctx, 50*time.Millisecond)
	}
	others.mu.Lock()
	t.answered = maps.Clone(others.answered)
	others.mu.Unlock()
	t.before, t.at, t.past = people.history.now(), time.Now(), people.history.now()
	return t
}

// goBack restores the server to a moment and has n clients ask again. It returns the number of intents asked for. The server and
// the history forget everything after the moment.
func (w *world) goBack(ctx context.Context, archive *Archive, t target, people *clients, others *programs, n int) (asked int, err error) {
	if err := w.archived(ctx); err != nil {
		return 0, err
	}
	data := w.db.config.DataDir
	for _, step := range []func() error{
		func() error { return w.killReplicas(ctx) },
		func() error { return w.db.stop(ctx) },
		func() error { return os.Rename(data, data+"-before") },
		func() error { return w.account.Mkdir(data) },
		func() error { return archive.Restore(ctx, t.at) },
		func() error { return w.db.start(ctx) },
		func() error { return w.poll(ctx, "the server is at the moment", `SELECT NOT pg_is_in_recovery()`) },
	} {
		if err := step(); err != nil {
			return 0, err
		}
	}
	people.history.forget(t)
	others.answered = t.answered
	if err := w.heal(ctx); err != nil {
		return 0, err
	}
	return people.again(ctx, t, n), nil
}

// archived waits until all commits are in the archive.
func (w *world) archived(ctx context.Context) error {
	conn, err := w.admin(ctx)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	var file string
	if err := conn.QueryRow(ctx, `SELECT pg_walfile_name(pg_switch_wal())`).Scan(&file); err != nil {
		return fmt.Errorf("end a file of the log: %w", err)
	}
	return w.poll(ctx, "the log is archived", `SELECT COALESCE(last_archived_wal >= $1, false) FROM pg_stat_archiver`, file)
}

// poll waits until a query returns true.
func (w *world) poll(ctx context.Context, what, question string, args ...any) error {
	ctx, cancel := context.WithTimeout(ctx, settling)
	defer cancel()
	for {
		conn, err := w.admin(ctx)
		if err == nil {
			var yes bool
			err = conn.QueryRow(ctx, question, args...).Scan(&yes)
			_ = conn.Close(context.WithoutCancel(ctx))
			if yes && err == nil {
				return nil
			}
		}
		if ctx.Err() != nil {
			return fmt.Errorf("wait until %s: %w, %w", what, ctx.Err(), err)
		}
		Pause(ctx, 100*time.Millisecond)
	}
}

// forget removes the attempts that began after the moment. An attempt that ended after it may or may not have happened.
func (h *history) forget(t target) {
	h.attempts = slices.DeleteFunc(h.attempts, func(a attempt) bool { return a.Called > t.past })
	for i, a := range h.attempts {
		if a.Done <= t.before {
			continue
		}
		h.attempts[i] = attempt{
			Intent: a.Intent, Kind: a.Kind, Command: a.Command, Key: a.Key, Record: a.Record, Seen: a.Seen, Asked: a.Asked, Lines: a.Lines,
			Replica: a.Replica, Called: a.Called, Done: a.Done, Outcome: lost,
		}
	}
}

// again has n clients ask again for every intent with a key that began before the moment, or that does not need a record that is
// gone. It returns their number.
func (c *clients) again(ctx context.Context, t target, n int) int {
	var wishes []intent
	for _, b := range c.begun {
		if b.in.key != "" && (b.at < t.before || b.in.kind.creates() || b.in.kind == contact) {
			wishes = append(wishes, b.in)
		}
	}
	next := make(chan intent)
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			for in := range next {
				c.insist(ctx, in, 0, 0)
			}
		})
	}
	for _, in := range wishes {
		next <- in
	}
	close(next)
	all.Wait()
	c.http.CloseIdleConnections()
	return len(wishes)
}
