package site_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/must"
	"onlyonce/internal/proof/proxy"
)

// stillRunning: the second request waits for the first, and replays its answer.
func stillRunning(x *caseRun) {
	second := *x
	second.caller = x.format.caller(x.bundle, x.serve(), x.acme)
	release := x.hold()
	one := x.begin(x.caller, x.command)
	x.waiting(1)
	two := x.begin(second.caller, x.command)
	x.waiting(2)
	release()
	first := one()
	x.format.done(x, first)
	x.format.replayed(&second, two(), first)
	x.wantRows(x.leaves)
}

func stillRunningPastTheBound(x *caseRun) {
	release := x.hold()
	first := x.begin(x.caller, x.command)
	x.waiting(1)
	again := x.askAs(x.from(x.serve(impatient)), x.command)
	x.format.refused(x, again, "in-progress", x.command)
	release()
	created := first()
	x.format.done(x, created)
	x.tryAgain(x.caller, again, func(x *caseRun, a answer) { x.format.replayed(x, a, created) })
	x.wantRows(x.leaves)
}

// busy: the attempt waits for a lock that is independent of its key.
func busy(x *caseRun) {
	hasty := x.from(x.serve(impatient))
	release := x.hold()
	refused := x.askAs(hasty, x.command)
	x.format.refused(x, refused, "busy", x.command)
	release()
	x.wantRows(rows{})
	x.tryAgain(hasty, refused, x.format.done)
}

// backendTerminated: the database ends the connection in the middle of the transaction, which is rolled back. The server
// retries.
func backendTerminated(x *caseRun) {
	release := x.hold()
	first := x.begin(x.caller, x.command)
	victims := x.waiting(1)
	x.exec(`SELECT pg_terminate_backend($1)`, victims[0])
	x.waiting(1, victims...)
	release()
	created := first()
	x.format.done(x, created)
	x.format.replayed(x, x.ask(x.command), created)
	x.wantRows(x.leaves)
}

// clientGone: the client has disconnected, and the transaction is finished all the same.
func clientGone(x *caseRun) {
	gone := make(chan struct{}, 1)
	url := x.listen(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		context.AfterFunc(r.Context(), func() { gone <- struct{}{} })
		x.Handler.ServeHTTP(w, r)
	}))
	release := x.hold()
	ctx, leave := context.WithCancel(x.Context())
	sent := make(chan error, 1)
	go func() {
		_, err := x.format.send(ctx, x.caller.elsewhere(url), *x, key, x.command)
		sent <- err
	}()
	x.waiting(1)
	leave()
	if err := <-sent; err == nil {
		x.Fatal("the client did not go away")
	}
	<-gone // the server has noticed
	release()
	must.Until(x, "committed", func() bool { return x.added().equal(x.leaves) && x.ended() == 1 })
	if again := x.ask(x.command); again.status >= 400 {
		x.Errorf("the record is there and was not shown: %v", again)
	}
	x.wantRows(x.leaves)
}

// answerLost: the client doesn't get the answer of its success, and retries.
func answerLost(x *caseRun) {
	address, err := url.Parse(x.url)
	if err != nil {
		x.Fatal(err)
	}
	wire := x.wire("tcp", address.Host)
	far := x.caller.elsewhere("http://" + wire.Addr())
	// One connection per request, or net/http would repeat it silently.
	far.http = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Jar: far.http.Jar, CheckRedirect: far.http.CheckRedirect}
	wire.Arm(proxy.Cut{Point: proxy.BeforeAnswer})
	if a, err := x.format.send(x.Context(), far, *x, key, x.command); err == nil {
		x.Fatalf("the answer arrived: %v", a)
	}
	x.wantRows(x.leaves)
	again := x.askAs(far, x.command)
	first := again // the lost answer is reconstructed from the record
	if f, ok := x.format.(jsonFormat); ok {
		first = x.caller.get(f.address(x, again))
		if first.status = http.StatusOK; !x.kind.Changes() {
			first.status = http.StatusCreated
			first.header.Set("Location", f.address(x, again))
		}
	}
	x.format.replayed(x, again, first)
	x.wantRows(x.leaves)
}

// commit is the COMMIT in a message for PostgreSQL: a text that ends with a zero byte. Each style of work sends it in a single
// exchange.
const commit = "COMMIT\x00"

// commitUnacknowledged: PostgreSQL commits, and the connection ends before the acknowledgement. The server looks up the key
// before it answers.
func commitUnacknowledged(x *caseRun) {
	far, wire, _ := x.behindWire()
	wire.Arm(proxy.Cut{Point: proxy.BeforeAnswer, Saying: commit})
	created := x.askAs(far, x.command)
	if cuts := wire.Cuts()[proxy.BeforeAnswer]; cuts != 1 {
		x.Fatalf("%d answers were cut", cuts)
	}
	wire.Heal()
	x.format.done(x, created)
	x.wantRows(x.leaves)
	x.format.replayed(x, x.ask(x.command), created)
	x.wantRows(x.leaves)
}

// commitUnconfirmed: the same, and then the database can't be reached any more.
func commitUnconfirmed(x *caseRun) {
	far, wire, _ := x.behindWire()
	cuts := make([]proxy.Cut, 100)
	for i := range cuts {
		cuts[i] = proxy.Cut{Point: proxy.BeforeAnswer}
	}
	cuts[0].Saying = commit
	wire.Arm(cuts...)
	unknown := x.askAs(far, x.command)
	wire.Heal()
	must.Until(x, "committed", func() bool { return x.added().equal(x.leaves) }) // the answer may begin before the COMMIT
	x.format.refused(x, unknown, "unconfirmed", x.command)
	x.tryAgain(far, unknown, func(x *caseRun, again answer) {
		if again.status >= http.StatusBadRequest {
			x.Errorf("trying again was not safe: %v", again)
		}
	})
	x.wantRows(x.leaves)
}

func databaseDown(x *caseRun) {
	far, wire, pool := x.behindWire()
	wire.Close()
	pool.Reset() // with an open connection the server couldn't know whether the statement was received
	refused := x.askAs(far, x.command)
	x.format.refused(x, refused, "unavailable", x.command)
	x.wantRows(rows{})
	x.tryAgain(x.caller, refused, x.format.done)
}

// behindWire returns the caller at a replica whose connection to the database can be cut, after a first request that has opened
// connections and prepared statements.
func (x *caseRun) behindWire() (*client, *proxy.Proxy, *pgxpool.Pool) {
	x.Helper()
	config := x.db.Pool.Config()
	wire := x.wire(pgconn.NetworkAddress(config.ConnConfig.Host, config.ConnConfig.Port))
	config.ConnConfig.DialFunc = func(ctx context.Context, _, address string) (net.Conn, error) {
		if address == wire.Addr() { // pgx cancels the statement of a broken connection; the cancel could overtake a COMMIT
			return nil, errors.New("no cancel requests")
		}
		return (&net.Dialer{}).DialContext(ctx, "tcp", wire.Addr())
	}
	config.MaxConns = 1
	config.ShouldPing = func(context.Context, pgxpool.ShouldPingParams) bool { return false } // a ping would trigger the cut
	pool, err := pgxpool.NewWithConfig(x.Context(), config)
	if err != nil {
		x.Fatal(err)
	}
	x.Cleanup(pool.Close)
	far := x.from(x.serveOn(pool))
	if a := far.must(x.format.send(x.Context(), far, *x, "warm", x.command)); a.status >= http.StatusBadRequest {
		x.Fatalf("not even before the cut: %v", a)
	}
	x.empty("settings") // a tenant needs these
	x.prepare()
	return far, wire, pool
}

func (b *bundle) wire(network, address string) *proxy.Proxy {
	b.Helper()
	wire, err := proxy.Listen(b.Context(), network, address)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(wire.Close)
	return wire
}
