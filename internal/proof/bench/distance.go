package bench

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"onlyonce/internal/postgres/server"
)

// distances compares our one round trip with the eleven of the usual transaction where they are felt: with the database
// a millisecond away, as it is in another zone of a data center.
func (b *bench) distances(ctx context.Context) error {
	s, err := b.populated(ctx, "distance", few)
	if err != nil {
		return err
	}
	s.stop() // it was for the schema
	far, err := watch(ctx, s.database, distance/2)
	if err != nil {
		return err
	}
	defer far.close()
	if err := b.roundTrip(ctx, far); err != nil {
		return err
	}
	ours, err := b.startServer(ctx, "DATABASE_URL="+far.url())
	if err != nil {
		return err
	}
	defer ours.stop()
	usual, err := b.start(ctx, b.usual, b.path("usual-distance.log"), "DATABASE_URL="+far.url(), "TENANT="+acme)
	if err != nil {
		return err
	}
	defer usual.stop()
	if err := b.warmUp(ctx, s.database, ours, usual); err != nil {
		return err
	}
	for _, kind := range []struct{ name, kind string }{{"create", typed}, {"replay", replay}} {
		for _, connections := range []int{1, 16} {
			turns, err := b.inTurns(ctx, connections, b.Rounds, side{kind.kind, ours.origin}, side{kind.kind, usual.origin})
			if err != nil {
				return err
			}
			b.add(against(kind.name+awayName+plural(connections, "connection"), perSecond, each(turns[0], sample.rate),
				"the usual transaction", each(turns[1], sample.rate)).atLeast(1))
		}
	}
	return nil
}

const (
	distance = time.Millisecond // there and back
	awayName = ", the database a millisecond away, "
)

// roundTrip measures how far the database is, for the one who asks it for nothing, and what the wire costs the processors that the
// servers use too.
func (b *bench) roundTrip(ctx context.Context, far *wire) error {
	var there, here, cost []float64
	for range b.Rounds {
		away, with, err := ping(ctx, far.url())
		if err != nil {
			return err
		}
		near, without, err := ping(ctx, far.database.url())
		if err != nil {
			return err
		}
		there, here, cost = append(there, away), append(here, near), append(cost, with-without)
	}
	b.add(against("round trip to a database a millisecond away", millis, there, "without the distance", here).
		noting(fmt.Sprintf("which takes %.0f µs of a processor", spreadOf(cost).Median)))
	return nil
}

// ping returns the p50 of some round trips in milliseconds, and how many microseconds of a processor each took here.
func ping(ctx context.Context, url string) (took, cost float64, err error) {
	const pings = 500
	conn, err := server.Connect(ctx, url)
	if err != nil {
		return 0, 0, err
	}
	defer conn.Close(ctx)
	var times []float64
	before, err := ownTime()
	if err != nil {
		return 0, 0, err
	}
	for range pings {
		began := time.Now()
		if err := conn.Ping(ctx); err != nil {
			return 0, 0, err
		}
		times = append(times, float64(time.Since(began).Microseconds())/1e3)
	}
	after, err := ownTime()
	return percentile(times, 0.5), float64((after - before).Microseconds()) / pings, err
}

// ownTime is the processor time of this process.
func ownTime() (time.Duration, error) {
	var used unix.Rusage
	err := unix.Getrusage(unix.RUSAGE_SELF, &used)
	return time.Duration(used.Utime.Nano() + used.Stime.Nano()), err
}
