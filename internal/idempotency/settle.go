package idempotency

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"onlyonce/internal/record"
)

// maxSends bounds how often one attempt is sent: again after a lost connection, a deadlock, a schema that
// changed, or a conflict with what is gone. With the pauses, that is for two seconds at least, in which another
// server can become the primary.
const maxSends = 10

// settle sends the transaction until its outcome is known. Sending it again is safe because it is
// idempotent, and it is how to find out what became of a lost COMMIT: a mere SELECT could miss a
// transaction that still runs, the claim waits for it.
//
// The caller may leave until something was sent. From then on only the store's Timeout counts: a
// client that goes away must not make the outcome of a commit unknown.
func (s *Store) settle(ctx context.Context, t transaction) (stored, error) {
	bounded, cancel := context.WithTimeout(ctx, s.Timeout)
	defer cancel()
	detached, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.Timeout)
	defer cancel()

	var last error
	everSent, unsure := false, false // unsure: something was sent and no answer came
	for n := range maxSends {
		mayLeave := bounded
		if everSent {
			mayLeave = detached
		}
		if !pause(mayLeave, n) {
			break
		}
		found, sent, err := s.sendOnce(mayLeave, detached, t)
		everSent = everSent || sent
		if err != nil {
			err = t.explain(detached, err) // without a connection of its own, of which the pool may have one only
		}
		switch {
		case errors.Is(err, errLost):
			last, unsure = err, unsure || sent
		case errors.Is(err, errAgain):
			last, unsure = ErrBusy, false // an answer did come
		default:
			return found, err
		}
	}
	switch {
	case unsure:
		return stored{}, fmt.Errorf("%w: %w", ErrUnconfirmed, last)
	case errors.Is(last, ErrBusy):
		return stored{}, last
	case last == nil || ctx.Err() != nil:
		return stored{}, fmt.Errorf("given up before anything was sent: %w", cmp.Or(context.Cause(ctx), context.Cause(bounded)))
	default:
		return stored{}, fmt.Errorf("%w: %w", ErrUnavailable, last)
	}
}

var (
	// errLost means that the connection broke, or leads to a standby. If something was sent, its outcome is unknown.
	errLost = errors.New("connection lost")
	// errAgain means that nothing was done and that the same transaction may succeed now.
	errAgain = errors.New("send again")
)

// sendOnce sends the transaction once and, if the intent was carried out before, looks at it. sent is
// false as long as nothing can have been done.
func (s *Store) sendOnce(mayLeave, detached context.Context, t transaction) (found stored, sent bool, err error) {
	conn, err := s.Pool.Acquire(mayLeave)
	if err != nil {
		return stored{}, false, fmt.Errorf("%w: %w", errLost, err)
	}
	defer conn.Release()
	made, at, err := s.send(detached, conn, t)
	if err == nil {
		return made, true, nil
	}
	sent = at != notSent
	refused, ok := refusal(err)
	own, isWork := errors.AsType[workError](err)
	alive := !conn.Conn().IsClosed() && detached.Err() == nil
	switch {
	case isWork && !ok && alive:
		return stored{}, sent, refusedError(own)
	case !sent && alive && !errors.As(err, new(*pgconn.PgError)): // such as an argument that cannot be encoded
		return stored{}, false, err
	case !ok:
		return stored{}, sent, fmt.Errorf("%w: %w", errLost, err)
	case refused.Code == "0A000", refused.Code == "26000":
		// The schema changed under a prepared statement. A new connection prepares it anew.
		return stored{}, sent, errors.Join(errAgain, conn.Conn().Close(detached))
	case refused.Code == rowsRequired && at > len(t.begin) && t.run == nil:
		return stored{}, sent, refusedError{t.statements[at-1-len(t.begin)].otherwise}
	case refused.Code == "25006": // a standby, which may be about to become the primary
		return stored{}, false, fmt.Errorf("%w: %w", errLost, refused)
	case refused.Code == madeAlready:
		conn.Release()
		return s.sendOnce(mayLeave, detached, t.withoutWork())
	case refused.Code != alreadyClaimed:
		return stored{}, sent, verdict(refused, at, t)
	}
	switch found, err = s.readIntent(detached, conn, t.lookup); {
	case errors.Is(err, pgx.ErrNoRows): // somebody has deleted it
		return stored{}, true, errAgain
	case err != nil: // the intent may be our own, from a time whose answer was lost
		return stored{}, true, fmt.Errorf("%w: %w", errLost, err)
	default:
		return found, true, nil
	}
}

// The SQLSTATEs with which functions of the schema end a transaction.
const (
	alreadyClaimed = "OO001" // claim_intent
	rowsRequired   = "OO003" // require_rows
	noRecord       = "OO004" // begin_change
	madeAlready    = "OO005" // begin_change
	otherVersion   = "OO006" // begin_change
	notMadeAnyMore = "OO007" // keep_made
)

// foreignKeyViolation is the SQLSTATE of a reference to a record that does not exist.
const foreignKeyViolation = "23503"

// refusedError is an error of the domain that ended the work.
type refusedError struct{ error }

func (e refusedError) Unwrap() error { return e.error }

// verdict returns what it means that a statement failed. In any case, the transaction was rolled back.
func verdict(refused *pgconn.PgError, at int, t transaction) error {
	const claim = 0 // the place of the first statement
	switch code := refused.Code; {
	case code == "40001", code == "40P01", code == notMadeAnyMore: // serialization failure, deadlock
		return errAgain
	case code == noRecord:
		return record.ErrNotFound
	case code == otherVersion:
		return &StaleError{Record: t.record}
	case refused.ConstraintName == "intents_pkey": // somebody has claimed without the lock
		return errAgain
	case code == "55P03" && at == claim: // lock timeout
		return ErrInProgress
	case code == "55P03", code == "57014": // lock timeout, statement timeout
		return fmt.Errorf("%w: %w", ErrBusy, refused)
	case code[:2] == "53": // out of resources
		return fmt.Errorf("%w: %w", ErrUnavailable, refused)
	default:
		return refused
	}
}

// refusal returns the error of a statement, and whether the connection goes on after it: it does not if the connection has ended,
// the app's or (class 08) one behind the server.
func refusal(err error) (*pgconn.PgError, bool) {
	refused, ok := errors.AsType[*pgconn.PgError](err)
	return refused, ok && refused.SeverityUnlocalized == "ERROR" && refused.Code[:2] != "08"
}

// pause waits before time number n, a little longer each time up to a limit. It reports whether ctx is still alive.
func pause(ctx context.Context, n int) bool {
	timer := time.NewTimer(min(time.Duration(n*n)*50*time.Millisecond, 250*time.Millisecond))
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}
