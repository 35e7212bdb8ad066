package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"onlyonce/internal/proof/replica"
)

// service is a running program that answers HTTP.
type service struct {
	replica.Replica

	origin string        // such as http://127.0.0.1:41234
	took   time.Duration // from start to the first answer
}

// start runs a program with ADDR and more environment, and returns when it is ready.
func (b *bench) start(ctx context.Context, program string, env ...string) (*service, error) {
	addr, err := replica.FreePort(ctx)
	if err != nil {
		return nil, err
	}
	s := &service{origin: "http://" + addr}
	s.Program, s.Addr, s.Env = program, addr, append(os.Environ(), append(env, "ADDR="+addr)...)
	s.Log, s.Group = b.path(filepath.Base(program)+".log"), b.leash.Group
	began := time.Now()
	if err := s.Start(ctx); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if err := s.Ready(ctx); err != nil {
		s.stop()
		return nil, err
	}
	s.took = time.Since(began)
	return s, nil
}

// startServer runs the real server with the settings of production, except for the rate limit and expiry.
func (b *bench) startServer(ctx context.Context, env ...string) (*service, error) {
	settings := []string{"DEMO=1", "RATE_LIMIT=0", "METRICS_ADDR=off", "EXPIRE_EVERY=24h", "SECRET_KEY=" + secretKey}
	return b.start(ctx, b.server, append(settings, env...)...)
}

// secretKey is the same for all servers of a run.
const secretKey = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="

// startUsual runs the usual transaction on a database.
func (b *bench) startUsual(ctx context.Context, databaseURL string) (*service, error) {
	return b.start(ctx, b.usual, "DATABASE_URL="+databaseURL, "TENANT="+acme)
}

// stop ends the program in order.
func (s *service) stop() { _ = s.End(context.Background(), syscall.SIGINT) }

// populated is a server with a filled database.
type populated struct {
	*service
	database
}

// populate starts a server on a new database, and fills each table with rows.
func (b *bench) populate(ctx context.Context, name string, rows int) (populated, error) {
	db, err := b.cluster.create(ctx, name)
	if err != nil {
		return populated{}, err
	}
	server, err := b.startServer(ctx, "DATABASE_URL="+db.url())
	if err != nil {
		return populated{}, err
	}
	if err := fill(ctx, db, rows); err != nil {
		server.stop()
		return populated{}, fmt.Errorf("fill: %w", err)
	}
	return populated{server, db}, nil
}

// starts times programs from their start to the first answer: the server with a new embedded database, with the same one again, and
// with a PostgreSQL that is running; and the usual transaction.
func (b *bench) starts(ctx context.Context) error {
	running, err := b.populate(ctx, "start", few)
	if err != nil {
		return err
	}
	running.stop()
	var fresh, again, beside, usual []float64
	for round := range b.Rounds {
		home := b.path("home" + strconv.Itoa(round))
		if err := os.Mkdir(home, 0o711); err != nil { //nolint:gosec // if this is root, PostgreSQL passes through as another user
			return err
		}
		for _, start := range []struct {
			times   *[]float64
			program string
			env     []string
		}{
			{&fresh, b.server, []string{"DATA_DIR=" + home, "DATABASE_URL="}},
			{&again, b.server, []string{"DATA_DIR=" + home, "DATABASE_URL="}},
			{&beside, b.server, []string{"DATABASE_URL=" + running.url()}},
			{&usual, b.usual, []string{"DATABASE_URL=" + running.url(), "TENANT=" + acme}},
		} {
			s, err := b.start(ctx, start.program,
				append([]string{"DEMO=1", "RATE_LIMIT=0", "METRICS_ADDR=off", "SECRET_KEY=" + secretKey}, start.env...)...)
			if err != nil {
				return err
			}
			s.stop()
			*start.times = append(*start.times, float64(s.took.Microseconds())/1e3)
		}
	}
	b.add(
		against("start with a new embedded database and demo data", millis, fresh, "with the same database again", again),
		against("start with an existing embedded database", millis, again, "with a PostgreSQL that is running", beside),
		against("start with a PostgreSQL that is running", millis, beside, "the usual transaction", usual),
	)
	return nil
}
