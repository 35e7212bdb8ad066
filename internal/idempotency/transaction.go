package idempotency

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
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

	// explain returns the error of the domain for a refused statement, or errAgain if the conflicting record is gone.
	explain func(context.Context, error) error
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
