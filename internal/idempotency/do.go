package idempotency

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Store is where records and work live together.
type Store struct {
	Pool *pgxpool.Pool
	// Wait bounds how long an attempt waits for a lock: for another attempt with its key above all. It
	// counts in whole milliseconds, rounded up, and is one at least: no value means to wait forever.
	Wait time.Duration
	// Timeout bounds an attempt as a whole, including the wait and the questions after a lost
	// connection. It must be longer than Wait, or every attempt is an error.
	Timeout time.Duration
	// Retain, if set, overrides the retention of every operation.
	Retain time.Duration
	// Observe is told about each attempt when it ends.
	Observe func(context.Context, Attempt)

	compiled statements
	settled  memory
	flights  flights
	attempts atomic.Int64
}

// Attempts is how many attempts are under way in this process now, waiting ones included.
func (s *Store) Attempts() int { return int(s.attempts.Load()) }

// bound is Wait, as far as PostgreSQL can count it.
func (s *Store) bound() time.Duration {
	return max(s.Wait+time.Millisecond-1, time.Millisecond).Truncate(time.Millisecond)
}

// wait is the bound as PostgreSQL reads it, to which "0ms" would be no bound at all.
func (s *Store) wait() string { return fmt.Sprintf("%dms", s.bound().Milliseconds()) }

func (s *Store) observe(ctx context.Context, a Attempt) {
	if s.Observe != nil {
		s.Observe(ctx, a)
	}
}

// Done is a finished intent.
type Done[R any] struct {
	// Value is read from the database, for the first answer and for every later one.
	Value R
	// Replayed says that an earlier attempt had done the work.
	Replayed bool
}

// Do runs the operation once for its intent, or finds that it was done before.
//
// It returns a [MismatchError], an [AlreadyDoneError], [ErrInProgress], [ErrBusy], [ErrNotVisible],
// [ErrUnconfirmed], [ErrUnavailable], or what [Spec.Explain] made of a broken constraint.
func (o Operation[C, R]) Do(ctx context.Context, store *Store, intent Intent, command C) (Done[R], error) {
	store.attempts.Add(1)
	defer store.attempts.Add(-1)
	attempt := Attempt{Operation: o.spec.Name, Intent: intent}
	start := time.Now()
	done, err := o.do(ctx, store, intent, command, &attempt)
	attempt.Duration, attempt.Err = time.Since(start), err
	if err != nil {
		attempt.Outcome = outcomeOf(err, attempt.Outcome)
	}
	if o.spec.Fields != nil {
		attempt.Fields = o.spec.Fields(command)
	}
	store.observe(ctx, attempt)
	return done, err
}

// do notes in attempt what it finds out on the way.
func (o Operation[C, R]) do(ctx context.Context, store *Store, intent Intent, command C, attempt *Attempt) (Done[R], error) {
	if intent.Key.value == "" {
		return Done[R]{}, ErrNoKey
	}
	if store.Timeout <= store.bound() {
		return Done[R]{}, fmt.Errorf("idempotency: Timeout %v of the store must be longer than its Wait %v", store.Timeout, store.bound())
	}
	fingerprint, err := FingerprintOf(command)
	if err != nil {
		return Done[R]{}, err
	}
	token, err := uuid.NewV7()
	if err != nil {
		return Done[R]{}, fmt.Errorf("make a record id: %w", err)
	}
	stored, err := o.run(ctx, store, intent, command, fingerprint, token)
	if err != nil {
		return Done[R]{}, o.explain(ctx, store, intent, command, err, attempt)
	}

	attempt.Record, attempt.Outcome = stored.id, Created
	// Our own token means that this attempt did the work, even if it had to ask twice to learn it.
	if stored.token != token {
		attempt.Outcome = Replayed
		switch {
		case !bytes.Equal(stored.fingerprint, fingerprint[:]):
			return Done[R]{}, &MismatchError{Record: stored.id}
		case !stored.visible:
			return Done[R]{}, ErrNotVisible
		}
	}
	done := Done[R]{Replayed: stored.token != token}
	if err := json.Unmarshal(stored.result, &done.Value); err != nil {
		return Done[R]{}, fmt.Errorf("decode the stored result: %w", err)
	}
	return done, nil
}

// run gives the record of the intent: the one that was there, or the one it makes together with the
// work.
func (o Operation[C, R]) run(
	ctx context.Context, store *Store, intent Intent, command C, fingerprint Fingerprint, token uuid.UUID,
) (record, error) {
	tx := newTx(o.spec.Name, intent, token)
	look, err := store.compiled.bind(ctx, tx.args, o.look()...)
	if err != nil {
		return record{}, err
	}
	key := slot{intent.Tenant, o.spec.Name, intent.Key}
	if store.settled.knows(key) {
		if stored, err := store.lookFirst(ctx, look); err == nil {
			return stored, nil
		}
		store.settled.forget(key) // it expired, or the claim will tell what the trouble is
	}
	stored, err := store.flights.share(ctx, flightKey{key, intent.Actor}, store.Wait, func() (record, error) {
		all, err := o.work(ctx, store, tx, command, fingerprint)
		if err != nil {
			return record{}, err
		}
		return store.settle(ctx, transaction{token, fingerprint, all, look})
	})
	if err == nil {
		store.settled.add(key)
	}
	return stored, err
}

// work gives the statements of the transaction: the claim, and behind it what the operation queues.
func (o Operation[C, R]) work(ctx context.Context, store *Store, tx *Tx, command C, fingerprint Fingerprint) ([]bound, error) {
	result := o.spec.Work(tx, command)
	tx.open = false
	if result.tx != tx {
		return nil, errors.New("idempotency: work returned the result of another transaction")
	}
	return store.compiled.bind(ctx, tx.args, append([]query{o.claim(store, fingerprint)}, tx.queued...)...)
}

// explain turns a broken constraint into an error of the domain, if the operation knows it.
func (o Operation[C, R]) explain(
	ctx context.Context, store *Store, intent Intent, command C, err error, attempt *Attempt,
) error {
	broken, ok := errors.AsType[*pgconn.PgError](err)
	if !ok || !isConstraint(broken) || o.spec.Explain == nil {
		return err
	}
	domain := o.spec.Explain(ctx, store, intent, command, broken)
	if domain == nil {
		return err
	}
	attempt.Outcome = Conflict
	return domain
}

// claim inserts the record, or ends the transaction if there is one.
func (o Operation[C, R]) claim(store *Store, fingerprint Fingerprint) query {
	return query{
		`SELECT claim_intent(@tenant_id, @operation, @idempotency_key, @fingerprint, @record_id, @retain, @wait)`,
		pgx.NamedArgs{
			"fingerprint": fingerprint[:],
			"retain":      cmp.Or(store.Retain, o.spec.Retain),
			"wait":        store.wait(),
		},
	}
}

// look reads the record as its tenant, and asks whether that tenant may still see the result.
func (o Operation[C, R]) look() []query {
	visible := o.spec.Visible
	if visible == "" {
		visible = "SELECT"
	}
	return []query{
		{`SELECT set_config('onlyonce.tenant_id', @tenant_id::text, true)`, nil},
		{`SELECT token, fingerprint, result, record.id, EXISTS (` + visible + `)
		FROM idempotency_records, LATERAL (SELECT record_id AS id) AS record
		WHERE tenant_id = @tenant_id AND operation = @operation AND key = @idempotency_key`, nil},
	}
}
