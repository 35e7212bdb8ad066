package bench

import (
	"context"
	"io"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"onlyonce/internal/postgres/pgtest"
)

// TestRoundTrips counts how often a request waits for the database, once the server knows its statements: a distant
// database costs that many times its distance.
func TestRoundTrips(t *testing.T) {
	pgtest.Long(t)
	t.Parallel()
	cloned := pgtest.New(t)
	config, err := pgx.ParseConfig(cloned.URL)
	if err != nil {
		t.Fatal(err)
	}
	var trips atomic.Int64
	through := relay(t, config, &trips)
	origin, stop, err := startApp(t.Context(), "postgres://"+config.User+"@"+through+"/"+config.Database+"?sslmode=disable")
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	near := database{config.Host, config.User, config.Database}
	if err := fill(t.Context(), near, 100); err != nil {
		t.Fatal(err)
	}
	s, err := newSite(t.Context(), origin, near)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.learn(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	want := map[string]int64{
		"API: create with a typed number": 1, "API: edit a draft": 1, "API: issue an invoice": 1, "API: void an invoice": 1,
		"API: pay": 2, // which currency the invoice has, and the payment
	}
	for _, k := range kinds() {
		if most, counted := want[k.name]; counted {
			if got := least(t, s, k, &trips, most); got != most {
				t.Errorf("%s: %d round trips, want %d", k.name, got, most)
			}
		}
	}
}

// least is the least number of round trips of some requests of a kind, and enough once that is few enough: other
// connections of the pool, which prepare their statements, and background jobs may add some. The first of those send
// the mails of the demo data, and take a busy machine some time.
func least(t *testing.T, s *site, k kind, trips *atomic.Int64, enough int64) int64 {
	t.Helper()
	fewest, patience := int64(-1), time.Now().Add(2*time.Minute)
	for n := 0; n < 5 || fewest > enough && time.Now().Before(patience); n++ {
		request, err := k.make(t.Context(), s, n)
		if err != nil {
			t.Fatal(err)
		}
		before := trips.Load()
		if _, err := ask(s.client, request); err != nil {
			t.Fatal(err)
		}
		if took := trips.Load() - before; fewest < 0 || took < fewest {
			fewest = took
		}
	}
	return fewest
}

// relay stands between the app and its database, and counts round trips: one begins with the first bytes for the
// database after some from it.
func relay(t *testing.T, to *pgx.ConnConfig, trips *atomic.Int64) (addr string) {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	network, address := pgconn.NetworkAddress(to.Host, to.Port)
	go func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			far, err := new(net.Dialer).DialContext(context.Background(), network, address)
			if err != nil {
				_ = near.Close()
				continue
			}
			link := &link{trips: trips}
			go link.carry(far, near, link.asked)
			go link.carry(near, far, link.answered)
		}
	}()
	return listener.Addr().String()
}

// link is one connection through the relay.
type link struct {
	trips *atomic.Int64
	asks  atomic.Bool // the database has been asked and has not answered
}

func (l *link) asked() {
	if !l.asks.Swap(true) {
		l.trips.Add(1)
	}
}

func (l *link) answered() { l.asks.Store(false) }

// carry copies until one end closes, and then closes both.
func (l *link) carry(to io.WriteCloser, from io.ReadCloser, note func()) {
	defer to.Close()
	defer from.Close()
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			note()
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}
