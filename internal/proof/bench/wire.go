package bench

import (
	"context"
	"io"
	"net"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
)

// wire stands between programs and their database, counts what passes, and may be long.
type wire struct {
	database

	listener net.Listener
	delay    time.Duration // each way
	// A round trip begins with the first bytes for the database after some from it.
	trips, statements atomic.Int64
}

// watch makes a wire before a database, on which everything is under way for so long. It lasts until it is closed.
func watch(ctx context.Context, db database, delay time.Duration) (*wire, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	w := &wire{database: db, listener: listener, delay: delay}
	go w.accept()
	return w, nil
}

// close ends it for new connections.
func (w *wire) close() { _ = w.listener.Close() }

// url is the address of the database at this end of the wire.
func (w *wire) url() string {
	u := url.URL{Scheme: "postgres", User: url.User(w.role), Host: w.listener.Addr().String(), Path: w.name, RawQuery: "sslmode=disable"}
	return u.String()
}

func (w *wire) accept() {
	network, address := pgconn.NetworkAddress(w.socketDir, 5432)
	for {
		near, err := w.listener.Accept()
		if err != nil {
			return // closed
		}
		far, err := net.Dial(network, address) //nolint:noctx // it ends with the wire
		if err != nil {
			_ = near.Close()
			continue
		}
		l := &link{wire: w, near: near, far: far}
		go l.ask()
		go l.answer()
	}
}

// link is one connection through a wire.
type link struct {
	wire      *wire
	near, far net.Conn
	asks      atomic.Bool // the database has been asked and has not answered
}

// ask carries what the program says as it comes, and reads along.
func (l *link) ask() {
	far := l.delayed(l.far)
	defer far.Close()
	messages := pgproto3.NewBackend(io.TeeReader(l.near, writer(func(bytes []byte) (int, error) {
		if !l.asks.Swap(true) {
			l.wire.trips.Add(1)
		}
		return far.Write(bytes)
	})), io.Discard)
	if _, err := messages.ReceiveStartupMessage(); err != nil {
		return
	}
	for {
		message, err := messages.Receive()
		if err != nil {
			return
		}
		switch message.(type) {
		case *pgproto3.Execute, *pgproto3.Query:
			l.wire.statements.Add(1)
		}
	}
}

// answer carries what the database says. Once either end closes, so does the other.
func (l *link) answer() {
	near := l.delayed(l.near)
	defer near.Close()
	_, _ = io.Copy(writer(func(bytes []byte) (int, error) {
		l.asks.Store(false)
		return near.Write(bytes)
	}), l.far)
}

type writer func([]byte) (int, error)

func (w writer) Write(bytes []byte) (int, error) { return w(bytes) }

// delayed returns an end of the link that is as far away as the wire is long.
func (l *link) delayed(to io.WriteCloser) io.WriteCloser {
	if l.wire.delay == 0 {
		return to
	}
	line := delayLine{make(chan parcel, 1024), l.wire.delay}
	go func() {
		defer to.Close()
		line.deliver(to)
	}()
	return line
}
