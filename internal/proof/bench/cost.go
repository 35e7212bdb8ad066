package bench

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/prometheus/procfs"
)

// work is what one caller, or many, ask a server for.
type work struct {
	name  string // "create"
	kind  string // for wrk
	make  maker  // the same, for one caller
	asks  bool   // the server has no memory
	trips float64
	// The targets, in microseconds of a processor. Zero is none.
	server, postgres float64
}

func works() []work {
	return []work{
		{name: "create", kind: typed, make: createTyped(), trips: 1, server: 250, postgres: 750},
		{name: "replay that is remembered", kind: replay, make: again},
		{name: "replay that asks the database", kind: replay, make: again, asks: true, trips: 1},
	}
}

// costs measures what one request takes of the processors, and asks of the database: unlike a rate, that does not
// depend on what else the machine does.
func (b *bench) costs(ctx context.Context, db database) error {
	for _, w := range works() {
		if err := b.processorTime(ctx, db, w); err != nil {
			return err
		}
		if err := b.asked(ctx, db, w); err != nil {
			return err
		}
	}
	return nil
}

// memory is the setting of a server for the work.
func (w work) memory() string {
	if w.asks {
		return "IDEMPOTENCY_MEMORY=0"
	}
	return "IDEMPOTENCY_MEMORY=32" // its default
}

// processorTime compares the time of the processors before and after many requests.
func (b *bench) processorTime(ctx context.Context, db database, w work) error {
	const connections = 16
	if _, err := procfs.Self(); errors.Is(err, fs.ErrNotExist) {
		b.sayf("  processor time is not measured: %s has no /proc to read it from", runtime.GOOS)
		return nil
	}
	s, err := b.startServer(ctx, "DATABASE_URL="+db.url(), w.memory())
	if err != nil {
		return err
	}
	defer s.stop()
	if _, err := b.load.run(ctx, w.kind, s.origin+invoicesPath, connections); err != nil { // for statements and caches
		return err
	}
	postgres, err := db.pid(ctx)
	if err != nil {
		return err
	}
	var server, database []float64
	for range b.Rounds {
		before, err := timeOf(s.PID(), postgres)
		if err != nil {
			return err
		}
		done, err := b.load.run(ctx, w.kind, s.origin+invoicesPath, connections)
		if err != nil {
			return err
		}
		after, err := timeOf(s.PID(), postgres)
		if err != nil {
			return err
		}
		each := func(seconds float64) float64 { return seconds * 1e6 / float64(done.Requests) }
		server = append(server, each(after.server-before.server))
		database = append(database, each(after.postgres-before.postgres))
	}
	b.add(
		alone("processor time of a "+w.name+": server", micros, server...).atMost(w.server),
		alone("processor time of a "+w.name+": PostgreSQL", micros, database...).atMost(w.postgres),
	)
	return nil
}

// processorTimes are seconds of a processor, since the processes began.
type processorTimes struct{ server, postgres float64 }

// timeOf adds up what a server has taken, and all processes of a PostgreSQL, also those that have ended.
func timeOf(server, postgres int) (t processorTimes, err error) {
	const ticks = 100 // a second, in /proc on every Linux
	all, err := procfs.AllProcs()
	if err != nil {
		return t, err
	}
	for _, process := range all {
		stat, err := process.Stat()
		if err != nil {
			continue // it has ended: its parent counts it from now on
		}
		switch {
		case stat.PID == server:
			t.server = stat.CPUTime()
		case stat.PID == postgres:
			t.postgres += stat.CPUTime() + float64(stat.CUTime+stat.CSTime)/ticks
		case stat.PPID == postgres:
			t.postgres += stat.CPUTime()
		}
	}
	if t.server == 0 || t.postgres == 0 {
		return t, fmt.Errorf("no processor time of processes %d and %d: %+v", server, postgres, t)
	}
	return t, nil
}

// pid is the process that all others of PostgreSQL are children of.
func (d database) pid(ctx context.Context) (int, error) {
	dir, err := value[string](ctx, d.admin(), `SHOW data_directory`)
	if err != nil {
		return 0, err
	}
	text, err := os.ReadFile(filepath.Join(dir, "postmaster.pid"))
	if err != nil {
		return 0, err
	}
	first, _, _ := strings.Cut(string(text), "\n")
	return strconv.Atoi(first)
}

// asked counts what passes between a server and the database for one request.
func (b *bench) asked(ctx context.Context, db database, w work) error {
	const requests = 50
	through, err := watch(ctx, db, 0)
	if err != nil {
		return err
	}
	defer through.close()
	server, err := b.startServer(ctx, "DATABASE_URL="+through.url(), w.memory())
	if err != nil {
		return err
	}
	defer server.stop()
	s, err := newSite(ctx, server.origin, db)
	if err != nil {
		return err
	}
	if err := s.learn(ctx, 1); err != nil {
		return err
	}
	fewest := exchange{math.MaxInt64, math.MaxInt64}
	for n := range requests {
		took, err := through.during(ctx, s, w.make, n)
		if err != nil {
			return err
		}
		fewest = exchange{min(fewest.trips, took.trips), min(fewest.statements, took.statements)}
	}
	b.add(
		alone("round trips of a "+w.name, count, float64(fewest.trips)).atMost(w.trips),
		alone("statements of a "+w.name, count, float64(fewest.statements)).atMost(w.trips),
	)
	return nil
}

// exchange is what passed a wire.
type exchange struct{ trips, statements int64 }

// during counts what passes while a request is answered. Connections that prepare their statements first, and background
// jobs, add to some.
func (w *wire) during(ctx context.Context, s *site, from maker, n int) (exchange, error) {
	request, err := from(ctx, s, n)
	if err != nil {
		return exchange{}, err
	}
	trips, statements := w.trips.Load(), w.statements.Load()
	_, err = ask(s.client, request)
	return exchange{w.trips.Load() - trips, w.statements.Load() - statements}, err
}
