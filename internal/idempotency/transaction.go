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

// transaction is everything that carries out one intent.
type transaction struct {
	attempt     uuid.UUID
	record      uuid.UUID // that is created or changed
	fingerprint Fingerprint
	lookup      []bound // of the intent, if it was carried out before

	claim bound
	// begin locks the record that is changed, and looks at it.
	begin []bound
	// The work is either statements, of which the last stores the intent,
	statements []bound
	// or code that returns the result, with the statement that stores it.
	run    func(context.Context, pgx.Tx) (result any, err error)
	finish func(ctx context.Context, result []byte) (bound, error)

	// asItIs is begin for a change of another version than the one that was seen, which is carried out only if it changes nothing.
	asItIs []bound

	// Instead of all that, keep stores the intent of a transition whose state is made already.
	keep []bound

	// explain returns what the refusal of a statement means; errAgain if what conflicted is gone.
	explain func(context.Context, error) error
}

// withoutWork is the transaction of a transition whose state is made already.
func (t transaction) withoutWork() transaction {
	t.begin, t.statements, t.run, t.finish, t.keep = nil, t.keep, nil, nil, nil
	return t
}

// unchanging is the transaction of a change that is carried out only if it changes nothing.
func (t transaction) unchanging() transaction {
	t.begin, t.asItIs = t.asItIs, nil
	return t
}

// stored is an intent as it is stored.
type stored struct {
	attempt     uuid.UUID
	fingerprint Fingerprint
	result      []byte    // JSON; nil when its retention has ended
	record      uuid.UUID // what was created, found or changed
	outcome     Outcome
	visible     bool

	moment

	until time.Time // the database's, until which a copy may be used

	answered *answered // of a copy; nil before [Done.Keep]
}

// made is the intent that this attempt is about to store.
func (t transaction) made() stored {
	return stored{attempt: t.attempt, fingerprint: t.fingerprint, visible: true, moment: moment{asked: time.Now()}}
}

// returned are the destinations of what an intent is stored with.
func (s *stored) returned() []any {
	return append([]any{&s.result, &s.record, &s.outcome}, s.copied()...)
}

// send runs claim, work and COMMIT. The work needs no guard: it does not run when the claim fails. at
// is the index of the statement that failed, see [notSent].
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

// readIntent reads an intent. It returns [pgx.ErrNoRows] if there is none.
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

// readKnown is readIntent for an intent that is known to be carried out. It waits no longer than for another attempt.
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
