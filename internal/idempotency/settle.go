package idempotency

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// asks bounds how often one attempt is sent: again after a lost connection, a deadlock, or a record
// that expired between the claim and the look.
const asks = 4

// settle sends the transaction until its outcome is known. Sending it again is safe because it is
// idempotent, and it is how to find out what became of a lost COMMIT: a mere SELECT could miss a
// transaction that still runs, the claim waits for it.
//
// The caller may leave until something was sent. From then on only the store's Timeout counts: a
// client that goes away must not turn a commit into a riddle.
func (s *Store) settle(ctx context.Context, t transaction) (record, error) {
	patience, cancel := context.WithTimeout(ctx, s.Timeout)
	defer cancel()
	detached, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.Timeout)
	defer cancel()

	var last error
	unsure := false // something was sent and no answer came
	for ask := range asks {
		if !pause(patience, ask) {
			break
		}
		stored, sent, err := s.ask(patience, detached, t)
		if sent {
			patience = detached //nolint:fatcontext // it replaces, and does not nest
		}
		switch {
		case errors.Is(err, errLost):
			last, unsure = err, unsure || sent
		case errors.Is(err, errAgain):
			last, unsure = ErrBusy, false // an answer did come
		default:
			return stored, err
		}
	}
	switch {
	case unsure:
		return record{}, fmt.Errorf("%w: %w", ErrUnconfirmed, last)
	case errors.Is(last, ErrBusy):
		return record{}, last
	case last == nil || ctx.Err() != nil:
		return record{}, fmt.Errorf("given up before anything was sent: %w", cmp.Or(context.Cause(ctx), context.Cause(patience)))
	default:
		return record{}, fmt.Errorf("%w: %w", ErrUnavailable, last)
	}
}

var (
	// errLost says that the connection broke. If something was sent, its outcome is unknown.
	errLost = errors.New("connection lost")
	// errAgain says that nothing was done and that the same transaction may succeed now.
	errAgain = errors.New("ask again")
)

// ask sends the transaction once and, if its key is claimed already, looks at the record. sent is
// false as long as the server cannot have seen anything of it.
func (s *Store) ask(patience, detached context.Context, t transaction) (stored record, sent bool, err error) {
	conn, err := s.Pool.Acquire(patience)
	if err != nil {
		return record{}, false, fmt.Errorf("%w: %w", errLost, err)
	}
	defer conn.Release()
	made, at, err := s.send(detached, conn, t)
	if err == nil {
		return made, true, nil
	}
	sent = at != notSent
	refused, ok := refusal(err)
	switch {
	case !ok:
		return record{}, sent, fmt.Errorf("%w: %w", errLost, err)
	case refused.Code == "0A000", refused.Code == "26000":
		// The schema changed under a prepared statement. A new connection prepares it anew.
		return record{}, sent, errors.Join(errAgain, conn.Conn().Close(detached))
	case refused.Code != alreadyClaimed:
		return record{}, sent, verdict(refused, at)
	}
	switch stored, err = s.look(detached, conn, t.look); {
	case errors.Is(err, pgx.ErrNoRows): // expired since
		return record{}, true, errAgain
	case err != nil: // the record may be our own, from an ask whose answer was lost
		return record{}, true, fmt.Errorf("%w: %w", errLost, err)
	default:
		return stored, true, nil
	}
}

// alreadyClaimed is the SQLSTATE with which claim_intent ends the transaction.
const alreadyClaimed = "OO001"

// verdict says what it means that a statement failed. In any case, the transaction was rolled back.
func verdict(refused *pgconn.PgError, at int) error {
	switch code := refused.Code; {
	case code == "40001", code == "40P01": // serialization failure, deadlock
		return errAgain
	case code == "55P03" && at == 0: // lock timeout on the claim
		return ErrInProgress
	case code == "55P03", code == "57014": // lock timeout, statement timeout
		return fmt.Errorf("%w: %w", ErrBusy, refused)
	case code[:2] == "53", code == "25006": // out of resources, a standby
		return fmt.Errorf("%w: %w", ErrUnavailable, refused)
	default:
		return refused
	}
}

// refusal tells the error of a statement, after which the connection goes on, from the end of a
// connection: the app's, or (class 08) one behind the server that was spoken to.
func refusal(err error) (*pgconn.PgError, bool) {
	refused, ok := errors.AsType[*pgconn.PgError](err)
	return refused, ok && refused.SeverityUnlocalized == "ERROR" && refused.Code[:2] != "08"
}

// pause waits before ask number n, a little longer each time. It reports whether ctx is still alive.
func pause(ctx context.Context, n int) bool {
	timer := time.NewTimer(time.Duration(n*n) * 50 * time.Millisecond)
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}
