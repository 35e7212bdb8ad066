package idempotency

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
)

// transaction is everything that one intent sends.
type transaction struct {
	token       uuid.UUID
	fingerprint Fingerprint
	all         []bound // claim, work and stored result, which are committed together
	look        []bound // at the record, if it was claimed before
}

// record is an idempotency record as it is stored.
type record struct {
	token       uuid.UUID
	fingerprint []byte
	result      []byte    // JSON
	id          uuid.UUID // of what was created
	visible     bool
}

// send runs claim, work and COMMIT. The work needs no guard: it does not run when the claim fails. at
// is the index of the statement that failed; 0 is the claim, and notSent comes before it.
func (s *Store) send(ctx context.Context, conn *pgxpool.Conn, t transaction) (made record, at int, err error) {
	if err := prepare(ctx, conn.Conn(), s.wait(), slices.Concat(t.all, t.look)); err != nil {
		return record{}, notSent, err
	}
	made = record{token: t.token, fingerprint: t.fingerprint[:], visible: true}
	at, err = commit(ctx, conn.Conn(), t.all, &made.result, &made.id)
	return made, at, err
}

// notSent stands for the statement that failed when not even the claim was sent.
const notSent = -1

// look reads a record. It returns [pgx.ErrNoRows] if there is none.
func (s *Store) look(ctx context.Context, conn *pgxpool.Conn, look []bound) (r record, err error) {
	if err := prepare(ctx, conn.Conn(), s.wait(), look); err != nil {
		return record{}, err
	}
	err = read(ctx, conn.Conn(), look, &r.token, &r.fingerprint, &r.result, &r.id, &r.visible)
	return r, err
}

// lookFirst is look for a key that is known to be settled.
func (s *Store) lookFirst(ctx context.Context, look []bound) (record, error) {
	ctx, cancel := context.WithTimeout(ctx, s.Timeout)
	defer cancel()
	conn, err := s.Pool.Acquire(ctx)
	if err != nil {
		return record{}, fmt.Errorf("acquire a connection: %w", err)
	}
	defer conn.Release()
	return s.look(ctx, conn, look)
}
