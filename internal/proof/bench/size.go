package bench

import (
	"context"
	"fmt"
	"time"
)

// sizes asks whether it matters how much there is already, in every table.
func (b *bench) sizes(ctx context.Context) error {
	small, err := b.populated(ctx, "small", few)
	if err != nil {
		return err
	}
	defer small.stop()
	large, err := b.populated(ctx, "large", b.Rows)
	if err != nil {
		return err
	}
	defer large.stop()
	if err := b.requests(ctx, large, small); err != nil || b.Kinds != nil {
		return err
	}
	return b.manyRecords(ctx, large, small)
}

// requests compares every kind of request.
func (b *bench) requests(ctx context.Context, large, small populatedService) error {
	p := b.pace()
	many, err := b.site(ctx, large, p)
	if err != nil {
		return err
	}
	less, err := b.site(ctx, small, p)
	if err != nil {
		return err
	}
	for _, k := range kinds() {
		if b.Kinds != nil && !b.Kinds.MatchString(k.name) {
			continue
		}
		here, there, err := compare(ctx, k, many, less, turns*b.Rounds, p)
		if err != nil {
			return err
		}
		name := fmt.Sprintf("%s, %s rows in every table", k.name, thousands(b.Rows))
		if k.soon > 0 {
			b.add(alone(name+": p50, one caller", millis, here.p50...).atMost(k.soon))
		}
		f := grows(name, here, "with 1,000", there)
		if k.looks != "" {
			f = f.noting(f.Note + "; " + k.looks).atMost(0)
		}
		b.add(f)
	}
	return nil
}

// turns is into how many each round of a kind of request is divided: the tail of many short turns says more than
// that of a few long ones, on a machine with other work to do.
const turns = 3

func (b *bench) pace() pace { return pace{warm: 10, counted: 70, length: b.Length} }

// site makes a service ready for all kinds of requests. Of its keys there is one for each request of a turn.
func (b *bench) site(ctx context.Context, of populatedService, p pace) (*site, error) {
	s, err := newSite(ctx, of.origin, of.database)
	if err != nil {
		return nil, err
	}
	if err := s.learn(ctx, p.warm+p.counted); err != nil {
		return nil, err
	}
	s.another = func(ctx context.Context) (string, func(), error) {
		other, err := b.startServer(ctx, "DATABASE_URL="+of.url())
		if err != nil {
			return "", nil, err
		}
		return other.origin, other.stop, nil
	}
	return s, nil
}

// manyRecords compares how many creates there are in a second, once there are more intents still.
func (b *bench) manyRecords(ctx context.Context, large, small populatedService) error {
	began := time.Now()
	if more := b.Records - b.Rows; more > 0 {
		if err := large.admin().exec(ctx, fillIntents(more, "now() + interval '24 hours'"), `VACUUM ANALYZE`, `CHECKPOINT`); err != nil {
			return err
		}
	}
	bytes, err := value[int64](ctx, large.database, `SELECT pg_database_size(current_database())`)
	if err != nil {
		return err
	}
	b.sayf("  %s intents in %s, the database has %.1f GB", thousands(b.Records), time.Since(began).Round(time.Second), float64(bytes)/1e9)
	// One turn more than counted, for the caches.
	turns, err := b.inTurns(ctx, 16, b.Rounds+1, side{typed, large.origin}, side{typed, small.origin})
	if err != nil {
		return err
	}
	b.add(against(fmt.Sprintf("create with %s intents and %s invoices there, 16 connections", thousands(b.Records), thousands(b.Rows)),
		perSecond, each(turns[0][1:], sample.rate), "create with 1,000 of each", each(turns[1][1:], sample.rate)).atLeast(0.85))
	return nil
}

// few is how many rows each table has where nothing is said about it. With none, PostgreSQL would read whole
// tables, which is right for an empty one, and go on doing so until it analyses them again.
const few = 1000

// populatedService is a server and its database.
type populatedService struct {
	*service
	database
}

// populated starts a server on a database of its own, with a past.
func (b *bench) populated(ctx context.Context, name string, rows int) (populatedService, error) {
	db, err := b.cluster.create(ctx, name)
	if err != nil {
		return populatedService{}, err
	}
	server, err := b.startServer(ctx, "DATABASE_URL="+db.url())
	if err != nil {
		return populatedService{}, err
	}
	began := time.Now()
	if err := fill(ctx, db, rows); err != nil {
		server.stop()
		return populatedService{}, fmt.Errorf("fill: %w", err)
	}
	b.sayf("  filled every table of %s with %s rows in %s", name, thousands(rows), time.Since(began).Round(time.Second))
	return populatedService{server, db}, nil
}

// thousands writes 1000000 as 1,000,000.
func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return thousands(n/1000) + fmt.Sprintf(",%03d", n%1000)
}
