package apiverdict

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
)

func (t *trial) atOnce(ctx context.Context) (answer, error) { return t.crowd(ctx, t.Address) }

func (t *trial) replicas(ctx context.Context) (answer, error) {
	first, err := t.first(ctx)
	if err != nil {
		return answer{}, err
	}
	after, err := t.same(ctx, first, t.createAt(ctx, t.Replica))
	if err != nil || !after.right {
		return answer{false, "one after the other: " + after.evidence}, err
	}
	return t.crowd(ctx, t.Address, t.Replica)
}

// crowd sends ten requests at once, alternating between the addresses, in several rounds.
func (t *trial) crowd(ctx context.Context, addresses ...string) (answer, error) {
	const rounds, callers = 5, 10
	var all []reply
	for range rounds {
		t = t.another()
		replies := make([]reply, callers)
		gate := make(chan struct{})
		var done sync.WaitGroup
		for i := range replies {
			done.Go(func() {
				<-gate
				replies[i] = t.createAt(ctx, addresses[i%len(addresses)])
			})
		}
		close(gate)
		done.Wait()
		n, err := t.count(ctx)
		if err != nil || n != 1 || !agree(replies) {
			return answer{false, fmt.Sprintf("%s, %s", records(n), shares(replies))}, err
		}
		all = append(all, replies...)
	}
	return answer{true, fmt.Sprintf("%d rounds of one record, %s", rounds, shares(all))}, nil
}

// agree reports whether at least one request succeeded, all successful ones have the same answer, and all others are 409.
func agree(replies []reply) bool {
	first := slices.IndexFunc(replies, reply.ok)
	return first >= 0 && !slices.ContainsFunc(replies, func(r reply) bool {
		return r.status != http.StatusConflict && !r.equals(replies[first])
	})
}

// shares counts the answers by status.
func shares(replies []reply) string {
	answers := map[string]int{}
	for _, r := range replies {
		answers[r.String()]++
	}
	var parts []string
	for _, status := range slices.Sorted(maps.Keys(answers)) {
		parts = append(parts, fmt.Sprintf("%d × %s", answers[status], status))
	}
	return strings.Join(parts, ", ")
}
