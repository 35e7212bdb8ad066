package sitetest

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/internal/proof/proxy"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// BehindCut returns a person at a server whose connection to the database can be cut, with one record of a resource.
func BehindCut(b *Bundle, of Resource) (person *Client, cut func()) {
	b.Helper()
	x := b.Case(of, HTML{})
	far, wire, pool := x.behindWire()
	x.Done()
	return far, func() {
		wire.Isolate()
		pool.Reset()
	}
}

// stillRunning: the second request waits for the first, and replays its answer.
func stillRunning(x *Case) {
	second := *x
	second.Caller = x.Format.Caller(x.Bundle, x.Serve(), x.Acme)
	release := x.hold()
	one := x.Begin(x.Caller, x.Command)
	x.Waiting(1)
	two := x.Begin(second.Caller, x.Command)
	x.Waiting(2)
	release()
	first := one()
	x.Format.Done(x, first)
	x.Format.Replayed(&second, two(), first)
	x.WantRows(x.Leaves)
}

func stillRunningPastTheBound(x *Case) {
	release := x.hold()
	first := x.Begin(x.Caller, x.Command)
	x.Waiting(1)
	again := x.AskAs(x.from(x.Serve(Impatient)), x.Command)
	x.Format.Refused(x, again, "in-progress", x.Command)
	release()
	created := first()
	x.Format.Done(x, created)
	x.tryAgain(x.Caller, again, func(x *Case, a Answer) { x.Format.Replayed(x, a, created) })
	x.WantRows(x.Leaves)
}

// busy: the attempt waits for a lock that is independent of its key.
func busy(x *Case) {
	hasty := x.from(x.Serve(Impatient))
	release := x.hold()
	refused := x.AskAs(hasty, x.Command)
	x.Format.Refused(x, refused, "busy", x.Command)
	release()
	x.WantRows(Rows{})
	x.tryAgain(hasty, refused, x.Format.Done)
}

// backendTerminated: the database ends the connection in the middle of the transaction, which is rolled back. The server
// retries.
func backendTerminated(x *Case) {
	release := x.hold()
	first := x.Begin(x.Caller, x.Command)
	victims := x.Waiting(1)
	x.Exec(`SELECT pg_terminate_backend($1)`, victims[0])
	x.Waiting(1, victims...)
	release()
	created := first()
	x.Format.Done(x, created)
	x.Format.Replayed(x, x.Ask(x.Command), created)
	x.WantRows(x.Leaves)
}

// clientGone: the client has disconnected, and the transaction is finished all the same.
func clientGone(x *Case) {
	gone := make(chan struct{}, 1)
	url := x.Listen(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		context.AfterFunc(r.Context(), func() { gone <- struct{}{} })
		x.Handler.ServeHTTP(w, r)
	}))
	release := x.hold()
	ctx, leave := context.WithCancel(x.Context())
	sent := make(chan error, 1)
	go func() {
		_, err := x.Format.Send(ctx, x.Caller.Elsewhere(url), *x, Key, x.Command)
		sent <- err
	}()
	x.Waiting(1)
	leave()
	if err := <-sent; err == nil {
		x.Fatal("the client did not go away")
	}
	<-gone // the server has noticed
	release()
	must.Until(x, "committed", func() bool { return x.added().Equal(x.Leaves) && x.ended() == 1 })
	again := x.Ask(x.Command)
	assert.Thatf(x, again.Status < 400, "the record is there and was not shown: %v", again)
	x.WantRows(x.Leaves)
}

// answerLost: the client doesn't get the answer of its success, and retries.
func answerLost(x *Case) {
	address, err := url.Parse(x.URL)
	must.OK(x, err)
	wire := x.Wire("tcp", address.Host)
	far := x.Caller.Elsewhere("http://" + wire.Addr())
	// One connection per request, or net/http would repeat it silently.
	far.HTTP = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Jar: far.HTTP.Jar, CheckRedirect: far.HTTP.CheckRedirect}
	wire.Arm(proxy.Cut{Point: proxy.BeforeAnswer})
	if a, err := x.Format.Send(x.Context(), far, *x, Key, x.Command); err == nil {
		x.Fatalf("the answer arrived: %v", a)
	}
	x.WantRows(x.Leaves)
	again := x.AskAs(far, x.Command)
	first := again // the lost answer is reconstructed from the record
	if f, ok := x.Format.(JSON); ok {
		first = x.Caller.Get(f.address(x, again))
		if first.Status = http.StatusOK; !x.Kind.Changes() {
			first.Status = http.StatusCreated
			first.Header.Set("Location", f.address(x, again))
			again.Body = withoutSecret(again.Body)
		}
	}
	x.Format.Replayed(x, again, first)
	x.WantRows(x.Leaves)
}

// commit is the COMMIT in a message for PostgreSQL: a text that ends with a zero byte. Each style of work sends it in a single
// exchange.
const commit = "COMMIT\x00"

// commitUnacknowledged: PostgreSQL commits, and the connection ends before the acknowledgement. The server looks up the key
// before it answers.
func commitUnacknowledged(x *Case) {
	far, wire, _ := x.behindWire()
	wire.Arm(proxy.Cut{Point: proxy.BeforeAnswer, Saying: commit})
	created := x.AskAs(far, x.Command)
	cuts := wire.Cuts()[proxy.BeforeAnswer]
	must.Thatf(x, cuts == 1, "%d answers were cut", cuts)
	wire.Heal()
	x.Format.Done(x, created)
	x.WantRows(x.Leaves)
	x.Format.Replayed(x, x.Ask(x.Command), created)
	x.WantRows(x.Leaves)
}

// commitUnconfirmed: the same, and then the database can't be reached any more.
func commitUnconfirmed(x *Case) {
	far, wire, _ := x.behindWire()
	cuts := make([]proxy.Cut, 100)
	for i := range cuts {
		cuts[i] = proxy.Cut{Point: proxy.BeforeAnswer}
	}
	cuts[0].Saying = commit
	wire.Arm(cuts...)
	unknown := x.AskAs(far, x.Command)
	wire.Heal()
	must.Until(x, "committed", func() bool { return x.added().Equal(x.Leaves) }) // the answer may begin before the COMMIT
	x.Format.Refused(x, unknown, "unconfirmed", x.Command)
	x.tryAgain(far, unknown, func(x *Case, again Answer) {
		assert.Thatf(x, again.Status < http.StatusBadRequest, "trying again was not safe: %v", again)
	})
	x.WantRows(x.Leaves)
}

func databaseDown(x *Case) {
	far, wire, pool := x.behindWire()
	wire.Isolate() // without giving up the port, which another test could get
	pool.Reset()   // with an open connection the server couldn't know whether the statement was received
	refused := x.AskAs(far, x.Command)
	x.Format.Refused(x, refused, "unavailable", x.Command)
	x.WantRows(Rows{})
	x.tryAgain(x.Caller, refused, x.Format.Done)
}

// behindWire returns the caller at a replica whose connection to the database can be cut, after a first request that has opened
// connections and prepared statements.
func (x *Case) behindWire() (*Client, *proxy.Proxy, *pgxpool.Pool) {
	x.Helper()
	config := x.DB.Pool.Config()
	wire := x.Wire(pgconn.NetworkAddress(config.ConnConfig.Host, config.ConnConfig.Port))
	config.ConnConfig.DialFunc = func(ctx context.Context, _, address string) (net.Conn, error) {
		if address == wire.Addr() { // pgx cancels the statement of a broken connection; the cancel could overtake a COMMIT
			return nil, errors.New("no cancel requests")
		}
		return (&net.Dialer{}).DialContext(ctx, "tcp", wire.Addr())
	}
	config.MaxConns = 1
	config.ShouldPing = func(context.Context, pgxpool.ShouldPingParams) bool { return false } // a ping would trigger the cut
	pool, err := pgxpool.NewWithConfig(x.Context(), config)
	must.OK(x, err)
	x.Cleanup(pool.Close)
	far := x.from(x.ServeOn(pool))
	a := far.Must(x.Format.Send(x.Context(), far, *x, "warm", x.Command))
	must.Thatf(x, a.Status < http.StatusBadRequest, "not even before the cut: %v", a)
	x.empty("settings", "mail_texts") // a tenant needs these
	x.prepare()
	return far, wire, pool
}

// Wire returns a proxy before an address, which can cut connections.
func (b *Bundle) Wire(network, address string) *proxy.Proxy {
	b.Helper()
	wire, err := proxy.Listen(b.Context(), network, address)
	must.OK(b, err)
	b.Cleanup(wire.Close)
	return wire
}
