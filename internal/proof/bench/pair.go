package bench

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"
)

// site is a running program and its database, and what requests can ask it for.
type site struct {
	origin string
	db     database
	cookie string // of a person of acme
	client *http.Client
	known  known

	// another starts the same program once more, with an empty memory.
	another func(context.Context) (origin string, stop func(), err error)
}

// maker returns the n-th request of a turn. Whatever has to be new in it is random. What it asks the site for is
// not measured.
type maker func(ctx context.Context, s *site, n int) (*http.Request, error)

// kind is a kind of request that one caller sends again and again.
type kind struct {
	name  string
	route string // that it is about: method and pattern
	want  int    // status
	make  maker

	// strange sends each turn to a program that was started for it and sees each key once.
	strange bool
	// prepare brings about what the requests meet, before the first turn. May be nil.
	prepare func(context.Context, *site) error
	// looks is how much it looks at, at most. With few rows there is less of it, so that the ratio has no target. Empty for what
	// looks at what it shows.
	looks string
	// soon is the target of the p50 in the large database, in milliseconds. Zero is none.
	soon float64
	// undo brings back what was before an answer, outside of the measurement. May be nil.
	undo func(context.Context, *site, http.Header) error
}

// pace bounds a turn: for each of the two sites so many requests, and so much time for both.
type pace struct {
	warm, counted int
	length        time.Duration
}

// sent sends a request once, for those that come after it.
func sent(first maker) func(context.Context, *site) error {
	return func(ctx context.Context, s *site) error {
		request, err := first(ctx, s, 0)
		if err == nil {
			_, err = ask(s.client, request)
		}
		return err
	}
}

// percentiles of the milliseconds of each round.
type percentiles struct{ p50, p99 []float64 }

func (p *percentiles) add(round []float64) {
	p.p50, p.p99 = append(p.p50, percentile(round, 0.50)), append(p.p99, percentile(round, 0.99))
}

// compare measures one kind of request at two sites in turns: one request here, one there, so that whatever
// else the machine does hits both.
func compare(ctx context.Context, k kind, large, small *site, rounds int, p pace) (here, there percentiles, err error) {
	for _, s := range []*site{large, small} {
		if k.prepare == nil {
			break
		}
		if err := k.prepare(ctx, s); err != nil {
			return here, there, fmt.Errorf("%s: prepare: %w", k.name, err)
		}
	}
	for range rounds {
		many, few, err := turn(ctx, k, large, small, p)
		if err != nil {
			return here, there, fmt.Errorf("%s: %w", k.name, err)
		}
		here.add(many)
		there.add(few)
	}
	return here, there, nil
}

// grows makes the row that says how much more a request costs where there is more.
func grows(name string, here percentiles, baseline string, there percentiles) Figure {
	return against(name+": p99", millis, here.p99, baseline, there.p99).atMost(1.5).
		noting(fmt.Sprintf("p50 %.2f and %.2f ms", spreadOf(here.p50).Median, spreadOf(there.p50).Median))
}

// turn returns the milliseconds of each counted request.
func turn(ctx context.Context, k kind, large, small *site, p pace) (many, few []float64, err error) {
	if k.strange {
		for _, s := range []**site{&large, &small} {
			origin, stop, err := (*s).another(ctx)
			if err != nil {
				return nil, nil, err
			}
			defer stop()
			elsewhere := **s
			elsewhere.origin = origin
			*s = &elsewhere
		}
	}
	began := time.Now()
	for n := range p.warm + p.counted {
		if n == p.warm {
			began = time.Now()
		}
		if n > p.warm && time.Since(began) > p.length {
			break
		}
		// Neither is always the first of the two.
		order := []*site{large, small}
		if n%2 == 1 {
			slices.Reverse(order)
		}
		for _, s := range order {
			took, err := k.once(ctx, s, n)
			if err != nil {
				return nil, nil, err
			}
			switch {
			case n < p.warm:
			case s == large:
				many = append(many, took)
			default:
				few = append(few, took)
			}
		}
	}
	return many, few, nil
}

// once returns the milliseconds from the request to the end of the answer.
func (k kind) once(ctx context.Context, s *site, n int) (float64, error) {
	request, err := k.make(ctx, s, n)
	if err != nil {
		return 0, err
	}
	began := time.Now()
	response, err := s.client.Do(request)
	if err != nil {
		return 0, err
	}
	body, err := io.ReadAll(response.Body)
	took := float64(time.Since(began).Microseconds()) / 1e3
	_ = response.Body.Close() // it was read to its end
	if err != nil {
		return 0, err
	}
	if response.StatusCode != k.want {
		return 0, fmt.Errorf("%s, want %d: %s", response.Status, k.want, body[:min(len(body), 500)])
	}
	if k.undo != nil {
		err = k.undo(ctx, s, response.Header)
	}
	return took, err
}

// percentile is the smallest value that so large a part of all does not exceed.
func percentile(values []float64, part float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	at := int(part*float64(len(sorted))+0.999999) - 1
	return sorted[min(max(at, 0), len(sorted)-1)]
}
