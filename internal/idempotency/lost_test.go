package idempotency_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"onlyonce/internal/idempotency"
)

// deaf is a connection that breaks before it hears the answer to certain words.
type deaf struct {
	net.Conn

	to func(said []byte) bool
}

func (d deaf) Write(said []byte) (int, error) {
	n, err := d.Conn.Write(said)
	if err == nil && d.to(said) {
		_, _ = d.Read(make([]byte, 1)) // the server has done it
		err = d.Close()
	}
	return n, err
}

// TestOwnCommitLostAndRecordUnreadable: the answer to COMMIT is lost; asking again says that the key is
// claimed, and the record cannot be read. It may be our own, so nobody is told that nothing was done.
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
	config := b.DB.Pool.Config()
	config.MaxConns = 1
	config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec // says what it wants in every exchange
	dial := config.ConnConfig.DialFunc
	config.ConnConfig.DialFunc = func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dial(ctx, network, addr)
		return deaf{conn, to}, err
	}
	unlucky := b.replica()
	unlucky.Pool = b.pool(config)
	create := idempotency.Define(spec())
	_, err := create.Do(t.Context(), unlucky, b.Intent("k"), order{"a"})
	if !errors.Is(err, idempotency.ErrUnconfirmed) || looks == 0 {
		t.Errorf("got %v after %d looks", err, looks)
	}
	if n, _ := unlucky.Remembered(); n != 0 {
		t.Error("remembered what was not confirmed")
	}
	if done, err := create.Do(t.Context(), b.Store, b.Intent("k"), order{"a"}); err != nil || !done.Replayed {
		t.Errorf("trying again: %+v, %v", done, err)
	}
	if n := b.count(`SELECT count(*) FROM items`); n != 1 {
		t.Errorf("%d items", n)
	}
}

// refuse has the first COMMITs that insert an item fail with a SQLSTATE.
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

// TestRefusedCommits: SQLSTATE class 08 with severity ERROR comes from a layer that lost its own connection to the data: what became of
// the transaction is unknown, though this connection goes on. A server that accepts no writes is a standby, which may be about to become
// the primary; while it is one, nothing is done.
func TestRefusedCommits(t *testing.T) {
	t.Parallel()
	create := idempotency.Define(spec())
	for code, ever := range map[string]error{"08006": idempotency.ErrUnconfirmed, "25006": idempotency.ErrUnavailable} {
		t.Run(code, func(t *testing.T) {
			b := setup(t)
			b.refuse(code, 2)
			if done, err := create.Do(t.Context(), b.Store, b.Intent("twice"), order{"a"}); err != nil || done.Replayed {
				t.Errorf("refused twice: %+v, %v", done, err)
			}
		})
		t.Run(code+" ever again", func(t *testing.T) {
			b := setup(t)
			b.refuse(code, 1_000_000)
			if _, err := create.Do(t.Context(), b.Store, b.Intent("ever"), order{"b"}); !errors.Is(err, ever) {
				t.Errorf("got %v", err)
			}
		})
	}
}
