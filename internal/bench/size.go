package bench

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
)

// sizes asks whether it matters how much there is already.
func (b *bench) sizes(ctx context.Context) error {
	small, err := b.populated(ctx, "small", few, few)
	if err != nil {
		return err
	}
	defer small.stop()
	big, err := b.populated(ctx, "big", b.Invoices, b.Records)
	if err != nil {
		return err
	}
	defer big.stop()

	if err := b.lists(ctx, small, big); err != nil {
		return err
	}
	const connections = 16
	var many, less []float64
	// One turn more than counted, for the caches.
	for round := range b.Rounds + 1 {
		there, err := b.load.run(ctx, typed, big.origin+invoicesPath, connections)
		if err != nil {
			return err
		}
		here, err := b.load.run(ctx, typed, small.origin+invoicesPath, connections)
		if err != nil {
			return err
		}
		if round > 0 {
			many, less = append(many, there.rate()), append(less, here.rate())
		}
	}
	b.add(against(fmt.Sprintf("create with %s records and %s invoices there, 16 connections", thousands(b.Records), thousands(b.Invoices)),
		perSecond, many, "create with 1,000 of each", less).atLeast(0.85))
	return nil
}

// few is how many invoices and records a database has that nothing is said about. With none, PostgreSQL
// would read whole tables, which is right for an empty one, and go on doing so until it analyses them again.
const few = 1000

// populatedService is a server and its database.
type populatedService struct {
	*service
	database
}

// populated starts a server on a database of its own, with a past.
func (b *bench) populated(ctx context.Context, name string, invoices, records int) (populatedService, error) {
	db, err := b.cluster.create(ctx, name)
	if err != nil {
		return populatedService{}, err
	}
	server, err := b.startServer(ctx, "DATABASE_URL="+db.url())
	if err != nil {
		return populatedService{}, err
	}
	began := time.Now()
	if err := fill(ctx, db, invoices, records); err != nil {
		return populatedService{}, fmt.Errorf("fill: %w", err)
	}
	b.sayf("  filled %s with %s invoices and %s records in %s", name, thousands(invoices), thousands(records),
		time.Since(began).Round(time.Second))
	return populatedService{server, db}, nil
}

// lists compares pages of the list as a person sees them, with a login.
func (b *bench) lists(ctx context.Context, small, big populatedService) error {
	for _, page := range []struct {
		name          string
		inBig, inLess int // rows before the page
	}{
		{"first page", 0, 0},
		{fmt.Sprintf("page %s", thousands(b.Invoices/1000)), 25 * (b.Invoices/1000 - 1), 500},
	} {
		far, err := newListing(ctx, big, page.inBig)
		if err != nil {
			return err
		}
		near, err := newListing(ctx, small, page.inLess)
		if err != nil {
			return err
		}
		var many, few []float64
		for round := range b.Rounds + 1 {
			there, err := far.sample(ctx, b.load)
			if err != nil {
				return err
			}
			here, err := near.sample(ctx, b.load)
			if err != nil {
				return err
			}
			if round > 0 {
				many, few = append(many, there.p99()), append(few, here.p99())
			}
		}
		b.add(against(fmt.Sprintf("invoice list, %s, of %s invoices: p99, 4 connections", page.name, thousands(b.Invoices)),
			millis, many, "the same with 1,000 invoices", few).atMost(1.5))
	}
	return nil
}

// listing is a page of the list and somebody who is logged in.
type listing struct{ url, cookie string }

func newListing(ctx context.Context, s populatedService, skip int) (listing, error) {
	cookie, err := logIn(ctx, s.service)
	if err != nil || skip == 0 {
		return listing{s.origin + "/invoices", cookie}, err
	}
	before, err := value[uuid.UUID](ctx, s.admin(),
		`SELECT id FROM invoices WHERE tenant_id = $1 ORDER BY id DESC OFFSET $2 LIMIT 1`, acme, skip-1)
	return listing{s.origin + "/invoices?cursor=" + before.String(), cookie}, err
}

func (l listing) sample(ctx context.Context, load load) (sample, error) {
	const connections = 4
	return load.run(ctx, get, l.url, connections, "Cookie: "+l.cookie, "Accept-Encoding: gzip")
}

// thousands writes 1000000 as 1,000,000.
func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return thousands(n/1000) + fmt.Sprintf(",%03d", n%1000)
}
