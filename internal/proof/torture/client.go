package torture

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// clients pursue intents as people and programs do: they time out, ask again with the same key, wait
// when they are told to, ask several times at once, come back much later, and give up in the end.
type clients struct {
	seed    uint64
	addrs   addresses
	http    *http.Client
	history *history
	// What the clients know.
	customers, invoices, payments, businesses known

	mu    sync.Mutex
	begun []begun

	fresh bool // a new key for every attempt: the mistake that the self-test plants
	apart bool // each client works for one tenant, so that those of others do not wait with it
	next  [len(tokens)]atomic.Int64
}

func newClients(seed uint64, n int, addrs addresses, h *history) *clients {
	return &clients{seed: seed, addrs: addrs, history: h, http: &http.Client{
		Transport: &http.Transport{MaxIdleConnsPerHost: 4 * n},
	}}
}

// begun is an intent that was begun.
type begun struct {
	in intent
	at time.Duration // since the start of the run
}

// intents returns how many were begun.
func (c *clients) intents() (n int) {
	for i := range c.next {
		n = max(n, int(c.next[i].Load()))
	}
	return n
}

// wish returns the next intent for a client.
func (c *clients) wish(client int) intent {
	if !c.apart {
		return imagine(c.seed, int(c.next[0].Add(1)-1))
	}
	tenant := client % len(tokens)
	for {
		if in := imagine(c.seed, int(c.next[tenant].Add(1)-1)); in.tenant == tenant {
			return in
		}
	}
}

// run has n clients work until ctx ends.
func (c *clients) run(ctx context.Context, n int) {
	defer c.http.CloseIdleConnections()
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { c.work(ctx, i) })
	}
	all.Wait()
}

// late is how long after its answer an intent may be asked for once more: its result has expired then.
const late = retain + 2*expireEvery

func (c *clients) work(ctx context.Context, client int) {
	rng := dice(c.seed, clientStreams|client)
	type past struct {
		intent

		at time.Duration
	}
	var answered []past
	for ctx.Err() == nil {
		in, ok := c.begin(ctx, c.wish(client))
		if !ok {
			continue
		}
		c.mu.Lock()
		c.begun = append(c.begun, begun{in, c.history.now()})
		c.mu.Unlock()
		c.pursue(ctx, in)
		if rng.IntN(4) == 0 && in.key != "" {
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

// about returns what the clients know of the records that a kind of intent is about.
func (c *clients) about(k kind) *known {
	switch {
	case k == refund:
		return &c.payments
	case k == business:
		return &c.businesses
	case k.onInvoice() || k.creates():
		return &c.invoices
	default:
		return &c.customers
	}
}

// begin decides which records an intent is about, and from which version. It reports false if none is known
// yet, or the client gave up reading.
func (c *clients) begin(ctx context.Context, in intent) (intent, bool) {
	if !in.kind.changes() && !in.kind.belongs() && in.kind != paid {
		return in, true
	}
	known := c.about(in.kind)
	one, ok := known.at(in.tenant, in.change.place)
	if in.change.fit {
		one, ok = known.fitting(in.tenant, in.change.place, in.kind)
	}
	if !ok {
		return in, false
	}
	if in.change.look {
		if one, ok = c.look(ctx, in, one.ID); !ok {
			return in, false
		}
	}
	another, _ := known.at(in.tenant, in.change.place+in.change.elsewhere)
	in.reuse = in.reuse && (!in.kind.changes() || in.change.otherwise || another.ID != one.ID)
	return in.about(one, another), true
}

// look reads a record, for an intent.
func (c *clients) look(ctx context.Context, in intent, id string) (profile, bool) {
	in.commands[0] = command{method: http.MethodGet, path: in.kind.address(id), record: id}
	in.kind, in.key = look, ""
	seen := c.insist(ctx, in, 0, 0)
	return seen.Shown, seen.Outcome == shown
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
func (c *clients) insist(ctx context.Context, in intent, command, sender int) (seen attempt) {
	for n := 0; ctx.Err() == nil; n++ {
		var after time.Duration
		seen, after = c.ask(ctx, in, command, sender, n)
		if seen.Outcome == stale && in.change.again && command == 0 {
			if now, ok := c.look(ctx, in, seen.Record); ok {
				in.commands[0].seen = now.Version
				continue
			}
		}
		if seen.Outcome.settles() {
			return seen
		}
		Pause(ctx, max(after, time.Duration(min(n, 10))*25*time.Millisecond))
	}
	return seen
}

// ask makes attempt number n, and notes what came of it.
func (c *clients) ask(ctx context.Context, in intent, command, sender, n int) (seen attempt, after time.Duration) {
	replica := (in.n + sender + n) % len(c.addrs[in.tenant])
	key, what := in.key, in.commands[command]
	if c.fresh && key != "" {
		key = fmt.Sprintf("%s-%d-%d-%d", in.key, command, sender, c.history.now())
	}
	called := c.history.now()
	seen, after = ask(ctx, c.http, c.addrs[in.tenant][replica], key, tokens[in.tenant], in.kind, what)
	seen.Intent, seen.Tenant, seen.Kind, seen.Command, seen.Key, seen.Replica = in.n, in.tenant, in.kind, command, key, replica
	seen.Record, seen.Seen, seen.Asked, seen.Lines = what.record, what.seen, what.asked, what.lines
	seen.Called, seen.Done = called, c.history.now()
	c.history.add(seen)
	c.learn(in, seen)
	return seen, after
}

// How many are created for each that others change and pay, and how many are paid for each that others refund.
const (
	manyInvoices = 8
	manyPayments = 3
)

// learn shares with the other clients what an answer said.
func (c *clients) learn(in intent, seen attempt) {
	switch seen.Outcome {
	case created, existing:
		if in.kind == contact || in.kind.creates() && in.n%manyInvoices == 0 {
			c.about(in.kind).met(in.tenant, seen.Shown)
		}
		if in.kind == pay && in.n%manyPayments == 0 {
			c.payments.met(in.tenant, seen.Shown)
		}
	case done, repeated, shown:
		c.customers.seen(in.tenant, seen.Shown)
		c.invoices.seen(in.tenant, seen.Shown)
		c.payments.seen(in.tenant, seen.Shown)
		c.businesses.seen(in.tenant, seen.Shown)
	default:
	}
}
