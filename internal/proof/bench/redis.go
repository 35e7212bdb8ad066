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
	sides := []side{{replay, others[1].origin}, {replay, asks.origin}}
	warm := append([]side{{replay, others[0].origin}}, sides...) // which leaves the keys in Redis, and opens connections
	if _, err := b.inTurns(ctx, 16, 1, warm...); err != nil {
		return err
	}
	turns, err := b.inTurns(ctx, 16, b.Rounds, sides...)
	if err != nil {
		return err
	}
	b.add(against("replay over HTTP that another replica remembers in Redis, 16 connections", perSecond, each(turns[0], sample.rate),
		"from PostgreSQL", each(turns[1], sample.rate)).noting(fmt.Sprintf("p99 %.1f and %.1f ms",
		spreadOf(each(turns[0], sample.p99)).Median, spreadOf(each(turns[1], sample.p99)).Median)))
	return nil
}
