package torture

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"onlyonce/internal/proof/proxy"
)

// fault is one kind of disturbance.
type fault struct {
	name string
	odds int // frequency relative to the other faults
	// inject injects the fault and ends it, even if ctx ends meanwhile. It returns the number of disturbances, which is 0 if the
	// victim is down already. The proxies count the cuts.
	inject func(ctx context.Context, w *world, rng *rand.Rand) (times int, err error)
}

// faults returns all faults. Pauses are longer than answerTimeout.
func faults() []fault {
	return []fault{
		{"replica killed", 10, func(ctx context.Context, w *world, rng *rand.Rand) (int, error) {
			return once(w.replicas[rng.IntN(2)].crash(ctx))
		}},
		{"both replicas killed, a migration pending", 2, func(ctx context.Context, w *world, _ *rand.Rand) (int, error) {
			return once(w.upgrade(ctx))
		}},
		{"replica frozen", 3, func(ctx context.Context, w *world, rng *rand.Rand) (int, error) {
			return once(w.replicas[rng.IntN(2)].freeze(ctx, longerThanPatience(rng)))
		}},
		{"PostgreSQL stopped immediately", 4, func(ctx context.Context, w *world, _ *rand.Rand) (int, error) {
			return once(w.db.crash(ctx))
		}},
		{"PostgreSQL frozen", 3, func(ctx context.Context, w *world, rng *rand.Rand) (int, error) {
			return once(w.db.freeze(ctx, longerThanPatience(rng)))
		}},
		{"backend terminated", 10, func(ctx context.Context, w *world, rng *rand.Rand) (int, error) {
			return w.db.terminate(ctx, 1+rng.IntN(4)), nil
		}},
		{"statement timeout below the wait for a key", 4, func(ctx context.Context, w *world, rng *rand.Rand) (int, error) {
			return w.db.hurry(ctx, keyWait/time.Duration(2+rng.IntN(4)), longerThanPatience(rng))
		}},
		{"client link cut", 25, func(_ context.Context, w *world, rng *rand.Rand) (int, error) {
			w.front[rng.IntN(2)].Arm(cuts(rng)...)
			return 0, nil
		}},
		{"database link cut", 25, func(_ context.Context, w *world, rng *rand.Rand) (int, error) {
			i := rng.IntN(2)
			// A starting replica uses up armed cuts. On a slow machine cuts would accumulate faster than it uses them up.
			_, err := unlessHeld(&w.replicas[i].busy, func() error {
				w.back[i].Arm(cuts(rng)...)
				return nil
			})
			return 0, err
		}},
		{"client link slow", 4, slow(func(w *world) []*proxy.Proxy { return w.front[:] })},
		{"database link slow", 4, slow(func(w *world) []*proxy.Proxy { return w.back[:] })},
		{"client link paused", 2, pause(func(w *world) []*proxy.Proxy { return w.front[:] })},
		{"database link paused", 2, pause(func(w *world) []*proxy.Proxy { return w.back[:] })},
		{"Redis killed, and back later with its last dump", 4, func(ctx context.Context, w *world, rng *rand.Rand) (int, error) {
			return once(w.restartRedis(ctx, time.Duration(rng.Int64N(int64(answerTimeout)))))
		}},
		{"Redis dumped", 4, redisDoes("SAVE")},
		{"Redis flushed", 4, redisDoes("FLUSHALL")},
		{poisoned, 4, redisDoes(poison)},
		{"Redis full", 4, func(ctx context.Context, w *world, rng *rand.Rand) (int, error) {
			full := w.redis.Do(ctx, "CONFIG SET maxmemory 1") == nil
			Pause(ctx, longerThanPatience(rng))
			_ = w.redis.Do(context.WithoutCancel(ctx), "CONFIG SET maxmemory 0") // a killed Redis restarts without a limit
			return once(full, nil)
		}},
		{"Redis link slow", 2, slow(func(w *world) []*proxy.Proxy { return w.side[:] })},
		{"Redis link paused", 2, pause(func(w *world) []*proxy.Proxy { return w.side[:] })},
	}
}

// chaos injects faults until its context ends.
type chaos struct {
	world *world
	seed  uint64
	every time.Duration // mean interval
	only  string        // the name of the fault to inject; "" for all

	now    func() time.Duration // since the start of the run
	mu     sync.Mutex
	counts map[string]int
	hits   []Gap // the beginning of each, in order
}

// run injects faults, which may overlap, and returns when the last one has ended. An error means that the world cannot be repaired.
func (c *chaos) run(ctx context.Context) error {
	all, odds := faults(), 0
	if c.only != "" {
		all = slices.DeleteFunc(all, func(f fault) bool { return f.name != c.only })
	}
	for _, f := range all {
		odds += f.odds
	}
	schedule := dice(c.seed, faultStreams)
	var running errgroup.Group
	for n := 1; ; n++ {
		Pause(ctx, time.Duration(schedule.Int64N(int64(2*c.every))))
		if ctx.Err() != nil {
			break
		}
		f := pick(all, schedule.IntN(odds))
		rng := dice(c.seed, faultStreams|n)
		running.Go(func() error {
			times, err := f.inject(ctx, c.world, rng)
			c.count(f.name, times)
			return err
		})
	}
	if err := running.Wait(); err != nil {
		return fmt.Errorf("inject faults: %w", err)
	}
	return nil
}

func pick(all []fault, dice int) fault {
	for _, f := range all {
		if dice -= f.odds; dice < 0 {
			return f
		}
	}
	panic("unreachable: the dice is below the sum of all odds")
}

func (c *chaos) count(name string, times int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.counts[name] += times
}

// hit records the beginning of a cluster's fault.
func (c *chaos) hit(fault string) {
	c.count(fault, 1)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hits = append(c.hits, Gap{Fault: fault, from: c.now()})
}

// cuts returns a few cuts at random points.
func cuts(rng *rand.Rand) []proxy.Cut {
	points := proxy.Points()
	list := make([]proxy.Cut, 1+rng.IntN(6))
	for i := range list {
		list[i] = proxy.Cut{Point: points[rng.IntN(len(points))], Share: rng.Float64()}
	}
	return list
}

func slow(links func(*world) []*proxy.Proxy) func(context.Context, *world, *rand.Rand) (int, error) {
	return func(ctx context.Context, w *world, rng *rand.Rand) (int, error) {
		link := links(w)[rng.IntN(2)]
		link.Slow(time.Duration(5+rng.IntN(100)) * time.Millisecond)
		Pause(ctx, longerThanPatience(rng))
		link.Slow(0)
		return 1, nil
	}
}

func pause(links func(*world) []*proxy.Proxy) func(context.Context, *world, *rand.Rand) (int, error) {
	return func(ctx context.Context, w *world, rng *rand.Rand) (int, error) {
		link := links(w)[rng.IntN(2)]
		link.Pause()
		Pause(ctx, longerThanPatience(rng))
		link.Resume()
		return 1, nil
	}
}

// poisoned is the fault that corrupts the copies in Redis.
const poisoned = "Redis poisoned"

// poison exchanges the copies of every two neighbours in Redis, and changes a byte in every eighth.
const poison = `EVAL "local all = redis.call('KEYS', 'onlyonce:intent:*') ` +
	`for i = 1, #all - 1, 2 do ` +
	`local one, other = redis.call('GET', all[i]), redis.call('GET', all[i + 1]) ` +
	`if i % 8 == 1 then one = string.sub(one, 1, -2) .. '!' end ` +
	`redis.call('SET', all[i], other, 'KEEPTTL') ` +
	`redis.call('SET', all[i + 1], one, 'KEEPTTL') ` +
	`end ` +
	`return redis.status_reply('OK')" 0`

// restartRedis kills Redis and restarts it after a while, even if ctx ends. It reports false if another fault is doing so.
func (w *world) restartRedis(ctx context.Context, after time.Duration) (bool, error) {
	return unlessHeld(&w.restarting, func() error {
		w.redis.Kill()
		Pause(ctx, after)
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settling)
		defer cancel()
		return w.redis.Start(ctx)
	})
}

// redisDoes returns a fault that has Redis carry out a command, if it is up.
func redisDoes(command string) func(context.Context, *world, *rand.Rand) (int, error) {
	return func(ctx context.Context, w *world, _ *rand.Rand) (int, error) {
		return once(w.redis.Do(ctx, command) == nil, nil)
	}
}

func longerThanPatience(rng *rand.Rand) time.Duration {
	return answerTimeout + time.Duration(rng.Int64N(int64(answerTimeout)))
}

func once(happened bool, err error) (int, error) {
	if happened {
		return 1, err
	}
	return 0, err
}
