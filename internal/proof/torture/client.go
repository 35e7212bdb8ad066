package torture

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// clients pursue intents like people and programs: they time out, retry with the same key, obey Retry-After, send several requests
// at once, repeat much later, and stop in the end.
type clients struct {
	seed    uint64
	addrs   addresses
	http    *http.Client
	history *history
	// The records that the clients know.
	customers, invoices, payments, businesses known

	mu    sync.Mutex
	begun []begun

	fresh bool // use a new key for every attempt: the mistake that the self-test plants
	apart bool // each client works for one tenant, so that a slow tenant does not delay the others
	next  [len(tokens)]atomic.Int64
}

type begun struct {
	in intent
	at time.Duration // since the start of the run
}

// intents returns the number of started intents.
func (c *clients) intents() (n int) {
	for i := range c.next {
		n = max(n, int(c.next[i].Load()))
	}
	return n
}

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

// run runs n clients until ctx ends.
func (c *clients) run(ctx context.Context, n int) {
	defer c.http.CloseIdleConnections()
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { c.work(ctx, i) })
	}
	all.Wait()
}

// late is the delay after an answer at which an intent is repeated. By then its result has expired.
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

// about returns the known records for a kind of intent.
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

// begin chooses the records of an intent and the version to start from. It reports false if no record is known yet, or the client
// gave up reading.
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

func (c *clients) look(ctx context.Context, in intent, id string) (profile, bool) {
	in.commands[0] = command{method: http.MethodGet, path: in.kind.address(id), record: id}
	in.kind, in.key = look, ""
	seen := c.insist(ctx, in, 0, 0)
	return seen.Shown, seen.Outcome == shown
}

// pursue sends an intent from all its senders at once, and then repeats it.
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

// insist sends a command until an answer settles it. After giving up, the outcome stays unknown: there is one record or
// none.
func (c *clients) insist(ctx context.Context, in intent, command, sender int) (seen attempt) {
	for n := 0; ctx.Err() == nil; n++ {
		var got answer
		seen, got = c.ask(ctx, in, command, sender, n)
		if seen.Outcome == stale && in.change.again && command == 0 {
			if now, ok := c.look(ctx, in, seen.Record); ok {
				in.commands[0].seen = now.Version
				continue
			}
		}
		if seen.Outcome.settles() {
			return seen
		}
		got.backOff(ctx, n)
	}
	return seen
}

// ask makes attempt number n and records its outcome.
func (c *clients) ask(ctx context.Context, in intent, command, sender, n int) (seen attempt, got answer) {
	replica := (in.n + sender + n) % len(c.addrs[in.tenant])
	key, what := in.key, in.commands[command]
	if c.fresh && key != "" {
		key = fmt.Sprintf("%s-%d-%d-%d", in.key, command, sender, c.history.now())
	}
	called := c.history.now()
	seen, got = ask(ctx, c.http, c.addrs[in.tenant][replica], key, tokens[in.tenant], in.kind, what)
	seen.Intent, seen.Tenant, seen.Kind, seen.Command, seen.Key, seen.Replica = in.n, in.tenant, in.kind, command, key, replica
	seen.Record, seen.Seen, seen.Asked, seen.Lines = what.record, what.seen, what.asked, what.lines
	seen.Called, seen.Done = called, c.history.now()
	c.history.add(seen)
	c.learn(in, seen)
	return seen, got
}

// The numbers of creates for each record that others change and pay, and of payments for each that others refund.
const (
	manyInvoices = 8
	manyPayments = 3
)

// learn shares an answer's record with the other clients.
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
