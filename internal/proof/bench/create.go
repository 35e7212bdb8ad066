package bench

import (
	"context"
	"fmt"
	"strconv"
)

const invoicesPath = "/api/v1/invoices"

// creates compares our create with the same rows in one statement, and with the usual transaction.
// A create is a request to the API with a token and three lines, for a customer found by email, all of
// one tenant.
func (b *bench) creates(ctx context.Context) error {
	s, err := b.populated(ctx, "creates", few)
	if err != nil {
		return err
	}
	ours, db := s.service, s.database
	defer ours.stop()
	usual, err := b.start(ctx, b.usual, b.path("usual.log"), "DATABASE_URL="+db.url(), "TENANT="+acme)
	if err != nil {
		return err
	}
	defer usual.stop()

	if err := b.warmUp(ctx, db, ours, usual); err != nil {
		return err
	}
	for _, at := range []struct {
		connections int
		ofFloor     float64 // at least
	}{{1, 0.60}, {16, 0.60}, {64, 0.65}} {
		if err := b.createAt(ctx, db, ours, usual, at.connections, at.ofFloor); err != nil {
			return err
		}
	}
	if err := b.allocate(ctx, ours); err != nil {
		return err
	}
	if err := b.replays(ctx, db, ours, usual); err != nil {
		return err
	}
	memory, err := ours.memory(ctx)
	if err != nil {
		return err
	}
	b.add(alone("memory of the server after these runs (RSS)", megabytes, memory/1e6).atMost(100))
	return b.costs(ctx, db)
}

// warmUp lets every connection prepare its statements, and makes sure that what wrk counts as created is
// there.
func (b *bench) warmUp(ctx context.Context, db database, ours, usual *service) error {
	const connections = 16
	for _, service := range []*service{ours, usual} {
		before, err := value[int](ctx, db.admin(), `SELECT count(*) FROM invoices`)
		if err != nil {
			return err
		}
		s, err := b.load.run(ctx, typed, service.origin+invoicesPath, connections)
		if err != nil {
			return err
		}
		after, err := value[int](ctx, db.admin(), `SELECT count(*) FROM invoices`)
		if err != nil {
			return err
		}
		// What is under way at the end is in the database and not in the count.
		if made := after - before; made < s.Requests || made > s.Requests+connections {
			return fmt.Errorf("wrk counted %d creates, and %d invoices came", s.Requests, made)
		}
	}
	// The keys that replays repeat.
	_, err := b.load.run(ctx, replay, ours.origin+invoicesPath, connections)
	return err
}

func (b *bench) createAt(ctx context.Context, db database, ours, usual *service, connections int, ofFloor float64) error {
	var here, floor, there, p50, p99 []float64
	for range b.Rounds {
		s, err := b.load.run(ctx, typed, ours.origin+invoicesPath, connections)
		if err != nil {
			return err
		}
		tps, err := b.floor.run(ctx, db, floorInsert, connections)
		if err != nil {
			return err
		}
		u, err := b.load.run(ctx, typed, usual.origin+invoicesPath, connections)
		if err != nil {
			return err
		}
		here, floor, there = append(here, s.rate()), append(floor, tps), append(there, u.rate())
		p50, p99 = append(p50, s.p50()), append(p99, s.p99())
	}
	latency := fmt.Sprintf("p50 %.1f ms, p99 %.1f ms", spreadOf(p50).Median, spreadOf(p99).Median)
	at := ", " + plural(connections, "connection")
	b.add(
		against("create over HTTP"+at, perSecond, here, "pgbench, the same rows in one statement", floor).
			atLeast(ofFloor).noting(latency),
		against("create over HTTP, beside the usual"+at, perSecond, here, "the usual transaction, check then insert", there).
			atLeast(1.5),
	)
	return nil
}

// allocate leaves the numbers to the server: one tenant's creates then wait for each other's commit.
func (b *bench) allocate(ctx context.Context, ours *service) error {
	turns, err := b.inTurns(ctx, 16, b.Rounds, side{allocated, ours.origin}, side{typed, ours.origin})
	if err != nil {
		return err
	}
	b.add(against("create with an allocated number, one tenant, 16 connections", perSecond, each(turns[0], sample.rate),
		"our create with a typed number", each(turns[1], sample.rate)).atLeast(0.6))
	return nil
}

// replays compares those that the server remembers with those for which it asks the database. It also measures the load tool, against
// a handler that does nothing.
func (b *bench) replays(ctx context.Context, db database, ours, usual *service) error {
	const connections = 16
	forgetful, err := b.startServer(ctx, "DATABASE_URL="+db.url(), "IDEMPOTENCY_MEMORY=0")
	if err != nil {
		return err
	}
	defer forgetful.stop()
	var here, asked, floor, empty, p99 []float64
	for range b.Rounds {
		s, err := b.load.run(ctx, replay, ours.origin+invoicesPath, connections)
		if err != nil {
			return err
		}
		a, err := b.load.run(ctx, replay, forgetful.origin+invoicesPath, connections)
		if err != nil {
			return err
		}
		asked = append(asked, a.rate())
		tps, err := b.floor.run(ctx, db, floorSelect, connections)
		if err != nil {
			return err
		}
		e, err := b.load.run(ctx, typed, usual.origin+"/empty", connections)
		if err != nil {
			return err
		}
		here, floor, empty = append(here, s.rate()), append(floor, tps), append(empty, e.rate())
		p99 = append(p99, s.p99())
	}
	b.add(
		against("replay over HTTP, 16 connections", perSecond, here, "pgbench, one row by key", floor).
			atLeast(0.40).noting(fmt.Sprintf("p99 %.1f ms", spreadOf(p99).Median)),
		against("replay over HTTP from memory, 16 connections", perSecond, here, "from the database", asked),
		against("an empty handler, 16 connections", perSecond, empty, "pgbench, one row by key", floor).
			noting("the load tool's own limit"),
	)
	return nil
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
