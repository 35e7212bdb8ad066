package idempotency_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/assert"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/postgres/pgtest"
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
	b.Store.Pool = b.pool(func(c *pgxpool.Config) {
		wrapping(func(conn net.Conn) net.Conn { return &layer{Conn: conn} })(c)
		c.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec
		c.AfterConnect = nil // its queries are not part of the test
	})
	create := idempotency.Define(spec())
	b.OK(create.Do(t.Context(), b.Store, b.Intent("first"), order{"a"}))
	_, err := create.Do(t.Context(), b.Store, b.Intent("second"), order{"a"})
	assert.Thatf(t, err != nil, "one name, twice")
	b.want(1, `SELECT count(*) FROM intents`)
	b.OK(create.Do(t.Context(), b.Store, b.Intent("second"), order{"b"})) // the key is free
}

// deaf is a connection that breaks before it reads the answer to certain messages.
type deaf struct {
	net.Conn

	to     func(said []byte) bool
	then   func() // before it breaks
	broken atomic.Bool
	done   chan struct{} // the server has done it
}

func (d *deaf) Write(said []byte) (int, error) {
	if !d.to(said) {
		return d.Conn.Write(said)
	}
	d.broken.Store(true)
	n, err := d.Conn.Write(said)
	if err == nil {
		go func() { _, _ = d.Read(make([]byte, 1)) }() // pgx also reads if a write takes long
		<-d.done
		d.then()
		err = d.Close()
	}
	return n, err
}

func (d *deaf) Read(answer []byte) (int, error) {
	n, err := d.Conn.Read(answer)
	if !d.broken.Load() {
		return n, err
	}
	select {
	case d.done <- struct{}{}:
	default:
	}
	return 0, net.ErrClosed
}

// TestOwnCommitLostAndRecordUnreadable checks the case that the answer to COMMIT is lost, the next claim finds the intent, and the intent
// can't be read. It may be the attempt's own, so the error must not mean that nothing was done.
func TestOwnCommitLostAndRecordUnreadable(t *testing.T) {
	b := setup(t)
	var lost sync.Once
	looks := 0
	to := func(said []byte) (yes bool) {
		if bytes.Contains(said, []byte("claim_intent")) {
			lost.Do(func() { yes = true })
		}
		if bytes.Contains(said, []byte("SELECT attempt_id, fingerprint")) {
			looks++
			yes = true
		}
		return yes
	}
	unlucky := b.unlucky(pgx.QueryExecModeExec, to, b.untilCommitted) // sends the SQL in every exchange
	create := idempotency.Define(spec())
	_, err := create.Do(t.Context(), unlucky, b.Intent("k"), order{"a"})
	assert.Thatf(t, errors.Is(err, idempotency.ErrUnconfirmed) && looks != 0, "got %v after %d looks", err, looks)
	n, _ := unlucky.Remembered()
	assert.Thatf(t, n == 0, "remembered what was not confirmed")
	if done, err := create.Do(t.Context(), b.Store, b.Intent("k"), order{"a"}); err != nil || !done.Replayed {
		t.Errorf("trying again: %+v, %v", done, err)
	}
	b.want(1, `SELECT count(*) FROM items`)
}

// untilCommitted waits for the lock of the key, and so for the end of the transaction. The answer to COMMIT comes after the other ones.
func (b *bundle) untilCommitted() {
	b.Exec(`SELECT pg_advisory_lock(intent_lock($1, 'item.create', 'k')), pg_advisory_unlock_all()`, b.Tenant)
}

// unlucky returns a replica with one connection at a time, which is deaf.
func (b *bundle) unlucky(mode pgx.QueryExecMode, to func(said []byte) bool, then func()) *idempotency.Store {
	b.Helper()
	store := b.replica()
	store.Pool = b.pool(func(c *pgxpool.Config) {
		wrapping(func(conn net.Conn) net.Conn {
			return &deaf{Conn: conn, to: to, then: then, done: make(chan struct{}, 1)}
		})(c)
		c.ConnConfig.DefaultQueryExecMode = mode
	})
	return store
}

// TestRefusedAfterALostCommit checks the case that the answer to COMMIT is lost, and every later attempt is refused before it can find
// out. The record exists, so the error must not mean that nothing was saved.
func TestRefusedAfterALostCommit(t *testing.T) {
	t.Parallel()
	pgtest.Long(t)
	type hurdle func(*bundle) (undo func())
	altered := func(alter, undo string) hurdle {
		return func(b *bundle) func() {
			b.Exec(alter)
			return func() { b.Exec(undo) }
		}
	}
	const later = `ALTER FUNCTION claim_intent RENAME TO claim_intent_later;`
	const again = `ALTER FUNCTION claim_intent_later RENAME TO claim_intent;`
	connections := func(limit int) string {
		return fmt.Sprintf(`DO $$ BEGIN EXECUTE format('ALTER DATABASE %%I CONNECTION LIMIT %d', current_database()); END $$`, limit)
	}
	hurdles := map[string]hurdle{
		"no statement can be prepared":         altered(later, again),
		"preparing a statement waits too long": func(b *bundle) func() { return b.lockTable(`ACCESS EXCLUSIVE`) },
		"the database accepts no connection":   altered(connections(0), connections(-1)),
	}
	for _, code := range []string{
		"08006", "0A000", "25006", "40001", "42501", "53100", "53200", "55P03", "57014", "57P01", "XX000",
	} {
		hurdles["the claim is refused with "+code] = altered(later+`
			CREATE FUNCTION claim_intent(tenant uuid, operation text, key text, wait text) RETURNS void LANGUAGE plpgsql AS $$
			BEGIN RAISE EXCEPTION 'refused' USING ERRCODE = '`+code+`'; END $$`, `DROP FUNCTION claim_intent;`+again)
	}
	for name, meet := range hurdles {
		t.Run(name, func(t *testing.T) {
			inBothStyles(t, func(b *bundle, create idempotency.Operation[order, item]) {
				b.DB.Spoil(b)
				var lost sync.Once
				var undo func()
				store := b.unlucky(pgx.QueryExecModeCacheStatement, func(said []byte) (yes bool) {
					if bytes.Contains(bytes.ToUpper(said), []byte("COMMIT\x00")) {
						lost.Do(func() { yes = true })
					}
					return yes
				}, func() {
					b.untilCommitted()
					undo = meet(b)
				})
				store.Wait, store.Timeout = 50*time.Millisecond, 400*time.Millisecond
				_, err := create.Do(b.Context(), store, b.Intent("k"), order{"a"})
				assert.Thatf(b, errors.Is(err, idempotency.ErrUnconfirmed) && !errors.Is(err, idempotency.ErrBusy) &&
					!errors.Is(err, idempotency.ErrUnavailable), "got %v", err)
				undo()
				if done, err := create.Do(b.Context(), b.Store, b.Intent("k"), order{"a"}); err != nil || !done.Replayed {
					b.Errorf("trying again: %+v, %v", done, err)
				}
				b.want(1, `SELECT count(*) FROM items`)
			})
		})
	}
}

// refuse makes the first COMMITs that insert an item fail with a SQLSTATE.
func (b *bundle) refuse(code string, times int) {
	b.Helper()
	b.DB.Spoil(b)
	b.Exec(fmt.Sprintf(`
		CREATE SEQUENCE refusals;
		CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
		BEGIN
			IF nextval('refusals') <= %d THEN -- a sequence does not roll back
				RAISE EXCEPTION 'refused' USING ERRCODE = '%s';
			END IF;
			RETURN NULL;
		END $$;
		CREATE CONSTRAINT TRIGGER refuse AFTER INSERT ON items DEFERRABLE INITIALLY DEFERRED
			FOR EACH ROW EXECUTE FUNCTION refuse()`, times, code))
}

// TestRefusedCommits checks that SQLSTATE class 08 or 40003 with severity ERROR leaves the outcome unknown, although the connection is
// alive: it comes from a proxy that lost its own connection to the data. A server that accepts no writes is a standby, which may be about
// to become the primary; until then, nothing is done.
func TestRefusedCommits(t *testing.T) {
	t.Parallel()
	create := idempotency.Define(spec())
	for code, ever := range map[string]error{
		"08006": idempotency.ErrUnconfirmed, "40003": idempotency.ErrUnconfirmed, "25006": idempotency.ErrUnavailable,
	} {
		t.Run(code, func(t *testing.T) {
			b := setup(t)
			b.refuse(code, 2)
			done, err := create.Do(t.Context(), b.Store, b.Intent("twice"), order{"a"})
			assert.Thatf(t, err == nil && !done.Replayed, "refused twice: %+v, %v", done, err)
		})
		t.Run(code+" ever again", func(t *testing.T) {
			b := setup(t)
			b.refuse(code, 1_000_000)
			_, err := create.Do(t.Context(), b.Store, b.Intent("ever"), order{"b"})
			assert.Thatf(t, errors.Is(err, ever), "got %v", err)
		})
	}
}
