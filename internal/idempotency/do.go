package idempotency

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Store is where records and work live together.
type Store struct {
	Pool *pgxpool.Pool
	// Wait bounds how long an attempt waits for a lock: for another attempt with its key above all.
	Wait time.Duration
	// Timeout bounds an attempt as a whole, including the wait and the questions after a lost
	// connection. It must be longer than Wait.
	Timeout time.Duration
	// Retain, if set, overrides the retention of every operation.
	Retain time.Duration
	// Observe is told about each attempt when it ends.
	Observe func(context.Context, Attempt)

	compiled statements
}

// wait is Wait as PostgreSQL reads it.
func (s *Store) wait() string { return fmt.Sprintf("%dms", s.Wait.Milliseconds()) }

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
//
// Once the transaction is on its way, the caller's cancellation no longer stops it: a client that
// goes away must not turn a commit into a riddle.
func (o Operation[C, R]) Do(ctx context.Context, store *Store, intent Intent, command C) (Done[R], error) {
	start := time.Now()
	done, record, explained, err := o.do(ctx, store, intent, command)

	attempt := Attempt{
		Operation: o.spec.Name, Intent: intent, Outcome: Created, Record: record,
		Duration: time.Since(start), Err: err,
	}
	if done.Replayed {
		attempt.Outcome = Replayed
	}
	if err != nil {
		attempt.Outcome = outcomeOf(err, explained)
	}
	if o.spec.Fields != nil {
		attempt.Fields = o.spec.Fields(command)
	}
	store.observe(ctx, attempt)
	return done, err
}

func (o Operation[C, R]) do(ctx context.Context, store *Store, intent Intent, command C) (
	done Done[R], record uuid.UUID, explained bool, err error,
) {
	if intent.Key.value == "" {
		return done, record, false, ErrNoKey
	}
	fingerprint, err := FingerprintOf(command)
	if err != nil {
		return done, record, false, err
	}
	token, err := uuid.NewV7()
	if err != nil {
		return done, record, false, fmt.Errorf("make a record id: %w", err)
	}
	tx := newTx(o.spec.Name, intent, token)
	result := o.spec.Work(tx, command)
	tx.open = false
	if result.tx != tx {
		return done, record, false, errors.New("idempotency: work returned the result of another transaction")
	}

	stored, err := store.settle(ctx, transaction{
		claim: o.claim(store, fingerprint), work: tx, look: o.look(),
	})
	var broken *pgconn.PgError
	if errors.As(err, &broken) && isConstraint(broken) && o.spec.Explain != nil {
		if domain := o.spec.Explain(ctx, store, intent, command, broken); domain != nil {
			return done, record, true, domain
		}
	}
	if err != nil {
		return done, record, false, err
	}

	var created struct {
		ID uuid.UUID `json:"id"`
	}
	if err := json.Unmarshal(stored.result, &created); err != nil {
		return done, record, false, fmt.Errorf("stored result has no id: %w", err)
	}
	record = created.ID
	// Our own token means that this attempt did the work, even if it had to ask twice to learn it.
	done.Replayed = stored.token != token
	if done.Replayed && !bytes.Equal(stored.fingerprint, fingerprint[:]) {
		return done, record, false, &MismatchError{Record: record}
	}
	if !stored.visible {
		return done, record, false, ErrNotVisible
	}
	if err := json.Unmarshal(stored.result, &done.Value); err != nil {
		return done, record, false, fmt.Errorf("decode the stored result: %w", err)
	}
	return done, record, false, nil
}

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
		{`SELECT token, fingerprint, result, EXISTS (
			SELECT FROM (SELECT (result->>'id')::uuid AS id) AS record, LATERAL (` + visible + `) AS visible
		)
		FROM idempotency_records
		WHERE tenant_id = @tenant_id AND operation = @operation AND key = @idempotency_key`, nil},
	}
}
