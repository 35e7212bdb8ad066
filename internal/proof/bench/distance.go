package bench

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"onlyonce/internal/postgres/server"
	"onlyonce/internal/proof/proxy"
)

// delay is added to each message between a program and the database, in either direction.
const delay = time.Millisecond

// distances compares the one round trip of a create with the eleven of the usual transaction if the database is in another data center.
func (b *bench) distances(ctx context.Context) error {
	near, err := b.populate(ctx, "distance", few)
	if err != nil {
		return err
	}
	near.stop() // it has created the schema
	way, err := far(ctx, near.database)
	if err != nil {
		return err
	}
	defer way.Close()
	way.Slow(delay)
	url := through(way, near.database)
	rounds, err := b.inTurns(ctx, ping(url), ping(near.url()))
	if err != nil {
		return err
	}
	b.add(against("round trip to a distant database", millis, rounds[0], "without the distance", rounds[1]))
	ours, err := b.startServer(ctx, "DATABASE_URL="+url)
	if err != nil {
		return err
	}
	defer ours.stop()
	usual, err := b.startUsual(ctx, url)
	if err != nil {
		return err
	}
	defer usual.stop()
	if err := b.warmUp(ctx, near.database, ours, usual); err != nil {
		return err
	}
	for _, c := range []struct {
		name, kind  string
		connections int
		mark        float64
	}{
		{"create", typed, 1, 2}, {"create", typed, 16, 1.2}, {"replay", replay, 1, 10}, {"replay", replay, 16, 4},
	} {
		rounds, err := b.inTurns(ctx, b.load.over(c.kind, ours.origin+invoicesPath, c.connections),
			b.load.over(c.kind, usual.origin+invoicesPath, c.connections))
		if err != nil {
			return err
		}
		b.add(against(c.name+", distant database, "+plural(c.connections, "connection"), perSecond, rounds[0],
			"the usual transaction", rounds[1]).atLeast(c.mark))
	}
	return nil
}

func far(ctx context.Context, db database) (*proxy.Proxy, error) {
	network, address := pgconn.NetworkAddress(db.socketDir, 5432)
	return proxy.Listen(ctx, network, address)
}

// through returns the URL of a database behind a proxy.
func through(way *proxy.Proxy, db database) string {
	return "postgres://" + db.role + "@" + way.Addr() + "/" + db.name + "?sslmode=disable"
}

// ping measures the milliseconds of a round trip.
func ping(url string) rate {
	return func(ctx context.Context) (float64, error) {
		conn, err := server.Connect(ctx, url)
		if err != nil {
			return 0, err
		}
		defer conn.Close(ctx)
		var times []float64
		for range 200 {
			began := time.Now()
			if err := conn.Ping(ctx); err != nil {
				return 0, err
			}
			times = append(times, since(began))
		}
		return spreadOf(times).Median, nil
	}
}

// since returns the time since began, in milliseconds.
func since(began time.Time) float64 { return float64(time.Since(began).Nanoseconds()) / 1e6 }
