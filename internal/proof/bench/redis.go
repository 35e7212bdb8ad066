package bench

import (
	"context"
	"fmt"
	"os"

	"onlyonce/internal/proof/redis"
)

// fromRedis compares replays that another replica remembers in Redis with the same ones from PostgreSQL. Neither process has a memory
// of its own.
func (b *bench) fromRedis(ctx context.Context) (err error) {
	const connections = 16
	of, err := b.populated(ctx, "redis", few)
	if err != nil {
		return err
	}
	defer of.stop()
	dir := b.path("redis")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	shared, err := redis.Start(ctx, dir)
	if err != nil {
		return err
	}
	defer shared.Stop()
	asks, err := b.startServer(ctx, "DATABASE_URL="+of.url(), "IDEMPOTENCY_MEMORY=0")
	if err != nil {
		return err
	}
	defer asks.stop()
	var others [2]*service // one of which remembers for the other
	for i := range others {
		if others[i], err = b.startServer(ctx, "DATABASE_URL="+of.url(), "IDEMPOTENCY_MEMORY=0", "REDIS_URL="+shared.URL()); err != nil {
			return err
		}
		defer others[i].stop()
	}
	for _, s := range []*service{others[0], others[1], asks} { // and for the connections
		if _, err := b.load.run(ctx, replay, s.origin+invoicesPath, connections); err != nil {
			return err
		}
	}
	var here, there, p99, slow []float64
	for range b.Rounds {
		r, err := b.load.run(ctx, replay, others[1].origin+invoicesPath, connections)
		if err != nil {
			return err
		}
		a, err := b.load.run(ctx, replay, asks.origin+invoicesPath, connections)
		if err != nil {
			return err
		}
		here, there = append(here, r.rate()), append(there, a.rate())
		p99, slow = append(p99, r.p99()), append(slow, a.p99())
	}
	b.add(against("replay over HTTP that another replica remembers in Redis, 16 connections", perSecond, here, "from PostgreSQL", there).
		noting(fmt.Sprintf("p99 %.1f and %.1f ms", spreadOf(p99).Median, spreadOf(slow).Median)))
	return nil
}
