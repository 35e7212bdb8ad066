package idempotency

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/record"
)

// transaction holds the statements and the work that carry out one intent.
type transaction struct {
	attempt     uuid.UUID
	record      uuid.UUID // the one to create or change
	fingerprint Fingerprint
	lookup      []bound // reads the intent, if it was carried out before

	claim bound
	// begin locks the record to change, and checks it.
	begin []bound
	// The work is either a list of statements, whose last one stores the intent,
	statements []bound
	// or a function that returns the result, with the statement that stores it.
	run    func(context.Context, pgx.Tx) (result any, err error)
	finish func(ctx context.Context, result []byte) (bound, error)

	// asItIs replaces begin for a change from another version than the one that was seen. The change then fails unless it changes
	// nothing.
	asItIs []bound

	// keep stores the intent in place of all that, for a transition whose state is already true.
	keep []bound

	// explainViolation is [Definition.explainViolation] for the transaction's command.
	explainViolation func(context.Context, error) error
}

// withoutWork returns the transaction for a transition whose state is already true.
func (t transaction) withoutWork() transaction {
	t.begin, t.statements, t.run, t.finish, t.keep = nil, t.keep, nil, nil, nil
	return t
}

// unchanging returns the transaction for a change that must change nothing.
func (t transaction) unchanging() transaction {
	t.begin, t.asItIs = t.asItIs, nil
	return t
}

// stored is a stored intent.
type stored struct {
	attempt     uuid.UUID
	fingerprint Fingerprint
	result      []byte    // JSON; nil after its retention
	record      uuid.UUID // the one that was created, found or changed
	outcome     Outcome
	visible     bool

	moment

	until time.Time // when a copy ends, on the database's clock

	answered *answered // of a copy; nil before [Done.Keep]
}

// made returns the part of the intent that is known before it is stored.
func (t transaction) made() stored {
	return stored{attempt: t.attempt, fingerprint: t.fingerprint, visible: true, moment: moment{asked: time.Now()}}
}

// returned returns the destinations of the row that storing an intent returns.
func (s *stored) returned() []any {
	return append([]any{&s.result, &s.record, &s.outcome}, s.copied()...)
}

// maxSends limits how often one attempt is sent: again after a lost connection, a deadlock, a changed schema, or a conflict with a record
// that is gone. The pauses add up to at least two seconds, in which another server can become the primary.
const maxSends = 10

// settle sends the transaction until its outcome is known. That is safe because the transaction is idempotent, and it is the way to find
// out the result of a lost COMMIT: a SELECT could miss a transaction that is still running, but the claim waits for it.
//
// The caller may cancel until something was sent. After that only the store's Timeout counts: a client that disconnects must not make the
// outcome of a commit unknown.
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
		found, at, err := s.sendOnce(mayLeave, detached, t)
		everSent = everSent || at != notSent
		if err != nil {
			err = t.explainViolation(detached, err) // after the connection was released, because the pool may have only one
		}
		switch {
		case errors.Is(err, errLost):
			last, unsure = err, unsure || at != notSent
		case err != nil && unsure && at <= atClaim: // refused before the outcome of the previous one was known
			last = err
		case errors.Is(err, errAgain):
			last, unsure = ErrBusy, false // an answer did come
		default:
			return found, err
		}
	}
	switch {
	case unsure: // text only: the last refusal is not the outcome of the earlier ones
		return stored{}, fmt.Errorf("%w: %s", ErrUnconfirmed, last.Error())
	case errors.Is(last, ErrBusy):
		return stored{}, last
	case last == nil || ctx.Err() != nil:
		return stored{}, fmt.Errorf("given up before anything was sent: %w", cmp.Or(context.Cause(ctx), context.Cause(bounded)))
	default:
		return stored{}, fmt.Errorf("%w: %w", ErrUnavailable, last)
	}
}

var (
	// errLost means that the connection broke or leads to a standby. If something was sent, its outcome is unknown.
	errLost = errors.New("connection lost")
	// errAgain means that nothing was done, and that the same transaction may succeed now.
	errAgain = errors.New("send again")
)

// The places at which a transaction can fail. Higher numbers are further statements of the work, and COMMIT.
const (
	notSent = -1 // before anything can have been done
	atClaim = 0  // before the outcome of an earlier attempt is known
	atWork  = 1  // after the claim, so no earlier attempt was committed
)

// sendOnce sends the transaction once. If the intent was carried out before, it returns that intent. at is the place of the failure.
func (s *Store) sendOnce(mayLeave, detached context.Context, t transaction) (found stored, at int, err error) {
	conn, err := s.Pool.Acquire(mayLeave)
	if err != nil {
		return stored{}, notSent, fmt.Errorf("%w: %w", errLost, err)
	}
	defer conn.Release()
	made, at, err := s.send(detached, conn, t)
	if err == nil {
		return made, at, nil
	}
	refused, ok := refusal(err)
	own, isWork := errors.AsType[workError](err)
	alive := !conn.Conn().IsClosed() && detached.Err() == nil
	switch {
	case isWork && !ok && alive:
		return stored{}, atWork, refusedError(own)
	case at == notSent && alive && !errors.As(err, new(*pgconn.PgError)): // such as an argument that cannot be encoded
		return stored{}, at, err
	case !ok:
		return stored{}, at, fmt.Errorf("%w: %w", errLost, err)
	case refused.Code == "0A000", refused.Code == "26000":
		// The schema changed under a prepared statement. A new connection prepares it again.
		return stored{}, at, errors.Join(errAgain, conn.Conn().Close(detached))
	case refused.Code == rowsRequired && at > len(t.begin) && t.run == nil:
		return stored{}, at, refusedError{t.statements[at-1-len(t.begin)].otherwise}
	case refused.Code == "25006": // a standby, which may be about to become the primary
		return stored{}, notSent, fmt.Errorf("%w: %w", errLost, refused)
	case refused.Code == madeAlready:
		conn.Release()
		return s.sendOnce(mayLeave, detached, t.withoutWork())
	case refused.Code == otherVersion && t.asItIs != nil:
		conn.Release()
		return s.sendAsItIs(mayLeave, detached, t)
	case refused.Code != alreadyClaimed:
		return stored{}, at, verdict(refused, at, t)
	}
	switch found, err = s.readIntent(detached, conn, t.lookup); {
	case errors.Is(err, pgx.ErrNoRows): // the intent was deleted
		return stored{}, atWork, errAgain
	case err != nil: // the intent may be of this attempt, from a send whose answer was lost
		return stored{}, atClaim, fmt.Errorf("%w: %w", errLost, err)
	default:
		return found, atClaim, nil
	}
}

// send runs claim, work and COMMIT. The work needs no guard: it does not run if the claim fails. at is the index of the statement that
// failed: see [notSent].
func (s *Store) send(ctx context.Context, conn *pgxpool.Conn, t transaction) (made stored, at int, err error) {
	if t.run != nil {
		return s.converse(ctx, conn, t)
	}
	all := slices.Concat([]bound{t.claim}, t.begin, t.statements)
	if err := prepare(ctx, conn.Conn(), s.wait(), slices.Concat(all, t.lookup)); err != nil {
		return stored{}, notSent, err
	}
	made = t.made()
	at, err = commit(ctx, conn.Conn(), all, made.returned()...)
	return made, at, err
}

// readIntent reads an intent. It returns [pgx.ErrNoRows] if the intent does not exist.
func (s *Store) readIntent(ctx context.Context, conn *pgxpool.Conn, lookup []bound) (found stored, err error) {
	if err := prepare(ctx, conn.Conn(), s.wait(), lookup); err != nil {
		return stored{}, err
	}
	found.asked = time.Now()
	var fingerprint []byte
	err = read(ctx, conn.Conn(), lookup, append([]any{
		&found.attempt, &fingerprint, &found.result, &found.record, &found.outcome, &found.visible,
	}, found.copied()...)...)
	copy(found.fingerprint[:], fingerprint)
	return found, err
}

// readKnown is readIntent for an intent that was carried out according to a copy. It waits at most as long as for another attempt.
func (s *Store) readKnown(ctx context.Context, lookup []bound) (stored, error) {
	ctx, cancel := context.WithTimeout(ctx, s.bound())
	defer cancel()
	conn, err := s.Pool.Acquire(ctx)
	if err != nil {
		return stored{}, fmt.Errorf("acquire a connection: %w", err)
	}
	defer conn.Release()
	return s.readIntent(ctx, conn, lookup)
}

// sendAsItIs handles a record that has another version than the one that was seen. It succeeds if the record already matches the command
// (RFC 9110, section 13.1.1), because the answer to an earlier attempt may have been lost. Otherwise, or if the work is refused, the
// error is a [StaleError].
func (s *Store) sendAsItIs(mayLeave, detached context.Context, t transaction) (found stored, at int, err error) {
	found, at, err = s.sendOnce(mayLeave, detached, t.unchanging())
	if err != nil && !errors.Is(err, errLost) && !errors.Is(err, errAgain) {
		at, err = atWork, &StaleError{Record: t.record}
	}
	return found, at, err
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

// verdict converts the refusal of a statement. The transaction was rolled back in any case.
func verdict(refused *pgconn.PgError, at int, t transaction) error {
	switch code := refused.Code; {
	case code == "40001", code == "40P01", code == notMadeAnyMore: // serialization failure, deadlock
		return errAgain
	case code == noRecord:
		return record.ErrNotFound
	case code == otherVersion:
		return &StaleError{Record: t.record}
	case refused.ConstraintName == "intents_pkey": // another transaction inserted the intent without the lock
		return errAgain
	case at == atClaim && isTimeout(code):
		return ErrInProgress
	case isTimeout(code):
		return fmt.Errorf("%w: %w", ErrBusy, refused)
	case code[:2] == "53": // out of resources
		return fmt.Errorf("%w: %w", ErrUnavailable, refused)
	default:
		return refused
	}
}

// isTimeout reports whether a statement waited too long: for lock_timeout, which is [Store.Wait], or for a shorter statement_timeout.
func isTimeout(code string) bool { return code == "55P03" || code == "57014" }

// refusal returns the error of a statement, and whether it is known that the statement was not carried out. That is unknown if a
// connection ended, the app's or (class 08) one behind the server, or if the error is that the completion is unknown.
func refusal(err error) (*pgconn.PgError, bool) {
	const completionUnknown = "40003"
	refused, ok := errors.AsType[*pgconn.PgError](err)
	return refused, ok && refused.SeverityUnlocalized == "ERROR" && refused.Code[:2] != "08" && refused.Code != completionUnknown
}

// pause waits before send number n, longer each time up to a limit. It reports whether ctx is still alive.
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
