package torture

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// clients pursue intents as people and programs do: they time out, ask again with the same key, wait
// when they are told to, ask several times at once, come back much later, and give up in the end.
type clients struct {
	seed    uint64
	addrs   [2]string // of the replicas, through the proxies
	http    *http.Client
	history *history
	fresh   bool // a new key for every attempt: the mistake that the self-test plants
	next    atomic.Int64
}

func newClients(seed uint64, n int, addrs [2]string, h *history) *clients {
	return &clients{seed: seed, addrs: addrs, history: h, http: &http.Client{
		Transport: &http.Transport{MaxIdleConnsPerHost: 4 * n},
	}}
}

// intents tells how many were begun.
func (c *clients) intents() int { return int(c.next.Load()) }

// run has n clients work until ctx ends.
func (c *clients) run(ctx context.Context, n int) {
	defer c.http.CloseIdleConnections()
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { c.work(ctx, dice(c.seed, clientStreams|i)) })
	}
	all.Wait()
}

// late is how long after its answer an intent may be asked for once more: its result has expired then.
const late = retain + 2*expireEvery

func (c *clients) work(ctx context.Context, rng *rand.Rand) {
	type past struct {
		intent

		at time.Duration
	}
	var answered []past
	for ctx.Err() == nil {
		in := imagine(c.seed, int(c.next.Add(1)-1))
		c.pursue(ctx, in)
		if rng.IntN(4) == 0 {
			answered = append(answered, past{in, c.history.now()})
		}
		if len(answered) > 0 && c.history.now()-answered[0].at > late {
			c.insist(ctx, answered[0].intent, 0, 0)
			if answered[0].reuse {
				c.insist(ctx, answered[0].intent, 1, 0)
			}
			answered = answered[1:]
		}
	}
}

// pursue asks for an intent, from all its senders at once, and then again.
func (c *clients) pursue(ctx context.Context, in intent) {
	var all sync.WaitGroup
	for sender := range in.senders {
		all.Go(func() { c.insist(ctx, in, 0, sender) })
	}
	all.Wait()
	for n := range in.repeats {
		c.insist(ctx, in, 0, n)
	}
	if in.reuse {
		c.insist(ctx, in, 1, 0)
	}
}

// insist asks until an answer settles the matter. Who gives up leaves the intent unknown: it may exist
// once, or not at all.
func (c *clients) insist(ctx context.Context, in intent, command, sender int) {
	for n := 0; ctx.Err() == nil; n++ {
		replica := (in.n + sender + n) % len(c.addrs)
		key := in.key
		if c.fresh {
			key = fmt.Sprintf("%s-%d-%d-%d", in.key, command, sender, c.history.now())
		}
		called := c.history.now()
		seen, after := ask(ctx, c.http, c.addrs[replica], key, tokens[in.tenant], in.path, in.bodies[command])
		seen.Intent, seen.Command, seen.Key, seen.Replica = in.n, command, key, replica
		seen.Called, seen.Done = called, c.history.now()
		c.history.add(seen)
		if seen.Outcome.settles() {
			return
		}
		wait(ctx, max(after, time.Duration(min(n, 10))*25*time.Millisecond))
	}
}
