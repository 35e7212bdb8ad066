package idempotency_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"net"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"onlyonce/internal/idempotency"
)

// layer is a proxy between the app and PostgreSQL that, like some sharding layers, does not know that a pipeline is a transaction: it
// sends a Sync after each statement. Only BEGIN and COMMIT hold the statements together.
type layer struct {
	net.Conn

	mu      sync.Mutex
	syncs   []bool // the unanswered ones; true for those of the app
	started bool   // the connection is set up
	failed  bool   // an error was passed on, so messages before the app's next Sync are dropped
	arrived []byte // from PostgreSQL, not yet a whole message
	ready   []byte // for the app
}

var syncMessage = []byte{'S', 0, 0, 0, 4}

func (l *layer) Write(p []byte) (int, error) {
	l.mu.Lock()
	out := p
	if l.started {
		out = nil
		for rest := p; len(rest) > 0; {
			message := rest[:1+binary.BigEndian.Uint32(rest[1:])]
			rest = rest[len(message):]
			out = append(out, message...)
			switch message[0] {
			case 'E':
				out = append(out, syncMessage...)
				l.syncs = append(l.syncs, false)
			case 'S':
				l.syncs = append(l.syncs, true)
			}
		}
	}
	l.mu.Unlock()
	if _, err := l.Conn.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (l *layer) Read(p []byte) (int, error) {
	for len(l.ready) == 0 {
		chunk := make([]byte, 8192)
		n, err := l.Conn.Read(chunk)
		if err != nil {
			return 0, err
		}
		l.arrived = append(l.arrived, chunk[:n]...)
		l.pass()
	}
	n := copy(p, l.ready)
	l.ready = l.ready[n:]
	return n, nil
}

// pass forwards the complete messages that are meant for the app.
func (l *layer) pass() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.arrived) >= 5 {
		size := 1 + int(binary.BigEndian.Uint32(l.arrived[1:]))
		if len(l.arrived) < size {
			return
		}
		message := bytes.Clone(l.arrived[:size])
		l.arrived = l.arrived[size:]
		own := true
		if message[0] == 'Z' && l.started {
			own, l.syncs = l.syncs[0], l.syncs[1:]
			l.failed = l.failed && !own
		}
		if own && !l.failed {
			l.ready = append(l.ready, message...)
		}
		l.started = l.started || message[0] == 'Z'
		l.failed = l.failed || message[0] == 'E' && l.started
	}
}

// Two intents use the same name. The second transaction must leave nothing.
func TestLayerThatKnowsNoImplicitTransactions(t *testing.T) {
	b := setup(t)
	config := b.DB.Pool.Config()
	config.MaxConns = 1
	config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec
	dial := config.ConnConfig.DialFunc
	config.ConnConfig.DialFunc = func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dial(ctx, network, addr)
		return &layer{Conn: conn}, err
	}
	config.AfterConnect = nil // its queries are not part of the test
	b.Store.Pool = b.pool(config)
	create := idempotency.Define(spec())
	b.OK(create.Do(t.Context(), b.Store, b.Intent("first"), order{"a"}))
	if _, err := create.Do(t.Context(), b.Store, b.Intent("second"), order{"a"}); err == nil {
		t.Error("one name, twice")
	}
	if n := b.count(`SELECT count(*) FROM intents`); n != 1 {
		t.Errorf("%d records for one order", n)
	}
	if _, err := create.Do(t.Context(), b.Store, b.Intent("second"), order{"b"}); err != nil {
		t.Errorf("the key was used up: %v", err)
	}
}
