package bench

import (
	"context"
	"fmt"
)

const invoicesPath = "/api/v1/invoices"

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// creates compares a create with the same rows in one statement, and with the usual transaction. A create is an API request with a
// token and three lines, for a customer that is found by email. All are for the same tenant.
func (b *bench) creates(ctx context.Context) error {
	ours, err := b.populate(ctx, "creates", few)
	if err != nil {
		return err
	}
	defer ours.stop()
	usual, err := b.startUsual(ctx, ours.url())
	if err != nil {
		return err
	}
	defer usual.stop()
	if err := b.warmUp(ctx, ours.database, ours.service, usual); err != nil {
		return err
	}
	for _, connections := range []int{1, 16, 64} {
		rounds, err := b.inTurns(ctx, b.load.over(typed, ours.origin+invoicesPath, connections), b.floor(ours.database, connections),
			b.load.over(typed, usual.origin+invoicesPath, connections))
		if err != nil {
			return err
		}
		name := "create, " + plural(connections, "connection")
		b.add(
			against(name, perSecond, rounds[0], "pgbench, the same rows in one statement", rounds[1]).atLeast(0.25),
			against(name+", next to the usual", perSecond, rounds[0], "the usual transaction", rounds[2]).atLeast(0.8),
		)
	}
	// With allocated numbers, the creates of a tenant wait for each other's commit.
	rounds, err := b.inTurns(ctx, b.load.over(allocated, ours.origin+invoicesPath, 16), b.load.over(typed, ours.origin+invoicesPath, 16))
	if err == nil {
		b.add(against("create with an allocated number, 16 connections", perSecond, rounds[0], "with a typed number", rounds[1]))
	}
	return err
}

// warmUp makes every connection prepare its statements, and creates the invoices that replays repeat. It checks that the creates
// counted by wrk are in the database.
func (b *bench) warmUp(ctx context.Context, db database, services ...*service) error {
	const connections, all = 16, `SELECT count(*) FROM invoices`
	for _, service := range services {
		before, err := value[int](ctx, db.admin(), all)
		if err != nil {
			return err
		}
		counted, _, err := b.load.run(ctx, typed, service.origin+invoicesPath, connections)
		if err != nil {
			return err
		}
		after, err := value[int](ctx, db.admin(), all)
		if err != nil {
			return err
		}
		// Requests without an answer at the end are in the database, but not in the count.
		if made := after - before; made < counted || made > counted+connections {
			return fmt.Errorf("wrk counted %d creates, and %d invoices came", counted, made)
		}
	}
	_, _, err := b.load.run(ctx, replay, services[0].origin+invoicesPath, 1)
	return err
}

// replays compares replays from the server's memory with an empty handler, with replays from the database, and with the usual
// transaction.
func (b *bench) replays(ctx context.Context) error {
	ours, err := b.populate(ctx, "replays", few)
	if err != nil {
		return err
	}
	defer ours.stop()
	forgetful, err := b.startServer(ctx, "DATABASE_URL="+ours.url(), "IDEMPOTENCY_MEMORY=0")
	if err != nil {
		return err
	}
	defer forgetful.stop()
	usual, err := b.startUsual(ctx, ours.url())
	if err != nil {
		return err
	}
	defer usual.stop()
	if err := b.warmUp(ctx, ours.database, ours.service, forgetful, usual); err != nil {
		return err
	}
	rounds, err := b.inTurns(ctx, b.load.over(replay, ours.origin+invoicesPath, 16), b.load.over(replay, usual.origin+"/empty", 16),
		b.load.over(replay, forgetful.origin+invoicesPath, 16), b.load.over(replay, usual.origin+invoicesPath, 16))
	if err != nil {
		return err
	}
	b.add(
		against("replay, 16 connections", perSecond, rounds[0], "an empty handler", rounds[1]).atLeast(0.2),
		against("replay from memory, 16 connections", perSecond, rounds[0], "from the database", rounds[2]).atLeast(2),
		against("replay, 16 connections, next to the usual", perSecond, rounds[0], "the usual transaction", rounds[3]).atLeast(1),
	)
	return nil
}
