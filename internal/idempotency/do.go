package idempotency

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/conflict"
	"onlyonce/internal/invalid"
	"onlyonce/internal/record"
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
	// Memory bounds, in bytes, what this process remembers of settled intents; 0 is 8 MiB.
	Memory int
	// Shared, if set, is where processes find what others have settled.
	Shared *Shared
	// Observe is told about each attempt when it ends.
	Observe func(context.Context, Attempt)

	compiled statements
	known    memory
	calls    calls
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
	// Outcome is what the intent did: Created, Reused, Changed or Unchanged.
	Outcome Outcome
	// Replayed reports whether an earlier attempt had done it.
	Replayed bool

	keep func(answer []byte)
}

// Keep remembers how a repeat was answered, until the intent is forgotten: see [Operation.Again]. Of a first success nothing is
// kept, as most have no repeat.
func (d Done[R]) Keep(answer []byte) {
	if d.keep != nil {
		d.keep(answer)
	}
}

// Do runs the operation once for its intent, or finds that it was done before.
//
// It returns a [MismatchError], an [AlreadyDoneError], [ErrInProgress], [ErrBusy], [ErrNotVisible],
// [ErrUnconfirmed], [ErrUnavailable], what [Spec.Explain] made of a broken constraint, or what the work
// itself returned; for a change also [record.ErrNotFound], [ErrNoVersion], or a [StaleError].
func (o Operation[C, R]) Do(ctx context.Context, store *Store, intent Intent, command C) (Done[R], error) {
	done, err := o.Definition.Do(ctx, store, intent, command)
	value, _ := done.Value.(R) // nil after an error
	return Done[R]{value, done.Outcome, done.Replayed, done.keep}, err
}

// Do is [Operation.Do] for a command and a result of the operation's types. It panics if the command has another type.
func (d *Definition) Do(ctx context.Context, store *Store, intent Intent, command any) (Done[any], error) {
	store.attempts.Add(1)
	defer store.attempts.Add(-1)
	attempt := Attempt{Operation: d.spec.Name, Intent: intent}
	start := time.Now()
	done, err := d.do(ctx, store, intent, command, &attempt)
	attempt.Duration, attempt.Err = time.Since(start), err
	if err != nil {
		attempt.Outcome = outcomeOf(err, attempt.Outcome)
	}
	if d.spec.Fields != nil {
		attempt.Fields = d.spec.Fields(command)
	}
	store.observe(ctx, attempt)
	if done.Replayed && intent.Request != (Request{}) {
		done.keep = func(answer []byte) {
			key := intentKey{intent.Tenant, d.spec.Name, intent.Key}
			store.known.keep(key, attempt.attempt, &answered{intent.Request, bytes.Clone(answer), attempt.Fields}, store.Memory)
		}
	}
	return done, err
}

// do notes in attempt what it finds out on the way.
func (d *Definition) do(ctx context.Context, store *Store, intent Intent, command any, attempt *Attempt) (done Done[any], err error) {
	if intent.Key.value == "" {
		return done, ErrNoKey
	}
	if store.Timeout <= store.bound() {
		return done, fmt.Errorf("idempotency: Timeout %v of the store must be longer than its Wait %v", store.Timeout, store.bound())
	}
	if d.spec.Kind == Change && intent.Seen == 0 {
		return done, ErrNoVersion
	}
	fingerprint, err := d.fingerprint(intent, command)
	if err != nil {
		return done, err
	}
	if d.spec.External != nil {
		if intent.external, err = d.external(command); err != nil {
			return done, err
		}
	}
	if intent.attempt, err = uuid.NewV7(); err != nil {
		return done, fmt.Errorf("make an id: %w", err)
	}
	if !d.spec.Kind.Changes() {
		intent.Record = intent.attempt
	}
	found, err := d.find(ctx, store, intent, command, fingerprint)
	if refused, ok := errors.AsType[refusedError](err); ok {
		attempt.Outcome = Conflict
		return done, refused.error
	}
	if err != nil {
		return done, err
	}

	attempt.Record, attempt.Outcome = found.record, found.outcome
	// Our own id means that this attempt did the work, even if it had to ask twice to learn it.
	replayed := found.attempt != intent.attempt
	attempt.attempt = found.attempt
	if replayed {
		attempt.Outcome = Replayed
		switch {
		case found.fingerprint != fingerprint:
			return done, &MismatchError{Record: found.record}
		case !found.visible:
			return done, ErrNotVisible
		case found.result == nil:
			return done, &AlreadyDoneError{Record: found.record}
		}
	}
	if done.Value, err = d.decode(found.result); err != nil {
		return Done[any]{}, fmt.Errorf("decode the stored result: %w", err)
	}
	done.Outcome, done.Replayed = found.outcome, replayed
	return done, nil
}

// find returns the intent as it is stored: the one that was there, or the one that it stores together with
// the work.
func (d *Definition) find(
	ctx context.Context, store *Store, intent Intent, command any, fingerprint Fingerprint,
) (stored, error) {
	args := d.arguments(store, intent, fingerprint)
	lookup, err := store.compiled.bind(ctx, args, d.around.lookup...)
	if err != nil {
		return stored{}, err
	}
	key := intentKey{intent.Tenant, d.spec.Name, intent.Key}
	if settled, ok := store.recall(ctx, key, d.spec.Deletes); ok {
		trust := store.known.trust(settled)
		if trust == sure {
			return settled, nil
		}
		found, err := store.readKnown(ctx, lookup)
		switch _, answered := refusal(err); {
		case err == nil:
			store.remember(ctx, key, found, d.spec.Deletes)
			return found, nil
		case trust == fitting && !answered && !errors.Is(err, pgx.ErrNoRows):
			return settled, nil
		}
		store.known.forget(key) // the claim will tell what the trouble is
	}
	return store.calls.share(ctx, callKey{key, intent.Actor}, store.bound(), func() (stored, error) {
		t, err := d.transaction(ctx, store, intent, command, args)
		if err != nil {
			return stored{}, err
		}
		t.fingerprint, t.lookup = fingerprint, lookup
		t.explain = func(ctx context.Context, err error) error { return d.explain(ctx, store, intent, command, err) }
		found, err := store.settle(ctx, t)
		if err == nil {
			store.remember(ctx, key, found, d.spec.Deletes)
		}
		return found, err
	})
}

// fingerprint is that of the command, and of the record that it is about. The version that was seen is not
// part of it: a person who looks again and repeats the wish means the same.
func (d *Definition) fingerprint(intent Intent, command any) (Fingerprint, error) {
	if !d.spec.Kind.Changes() {
		return FingerprintOf(command)
	}
	return FingerprintOf(struct {
		Record  uuid.UUID
		Command any
	}{intent.Record, command})
}

// transaction returns the claim, and behind it the work of the operation.
func (d *Definition) transaction(
	ctx context.Context, store *Store, intent Intent, command any, args pgx.NamedArgs,
) (t transaction, err error) {
	t = transaction{attempt: intent.attempt, record: intent.Record}
	around := d.around
	if t.claim, err = store.compiled.bindOne(ctx, args, query{text: text{sql: claim}}); err != nil {
		return transaction{}, err
	}
	if d.spec.Kind.Changes() {
		if t.begin, err = store.compiled.bind(ctx, args, around.lock(), around.begin()); err != nil {
			return transaction{}, err
		}
		if d.spec.Kind == Change {
			if t.asItIs, err = store.compiled.bind(ctx, args, around.lock(), around.beginAsItIs()); err != nil {
				return transaction{}, err
			}
		}
		if t.keep, err = store.compiled.bind(ctx, args, around.keep()...); err != nil {
			return transaction{}, err
		}
	}
	if intent.external["external_id"] != nil && !d.spec.Kind.Changes() {
		if t.begin, err = store.compiled.bind(ctx, args, around.beginExternal()...); err != nil {
			return transaction{}, err
		}
		if t.keep, err = store.compiled.bind(ctx, args, around.keepExternal()...); err != nil {
			return transaction{}, err
		}
	}
	if d.spec.Run != nil {
		t.run = func(ctx context.Context, tx pgx.Tx) (any, error) { return d.spec.Run(ctx, tx, intent, command) }
		t.finish = func(ctx context.Context, result []byte) (bound, error) {
			insert := query{text: text{sql: around.insert(`@result::json`)}, args: pgx.NamedArgs{"result": string(result)}}
			return store.compiled.bindOne(ctx, args, insert)
		}
		return t, nil
	}
	tx := &Tx{attempt: intent.attempt, args: args, open: true, around: around}
	result := d.spec.Statements(tx, command)
	tx.open = false
	if result.tx != tx {
		return transaction{}, errors.New("idempotency: work returned the result of another transaction")
	}
	t.statements, err = store.compiled.bind(ctx, args, tx.queued...)
	return t, err
}

const claim = `SELECT claim_intent(@tenant_id, @operation, @idempotency_key, @wait)`

// explain turns a broken constraint into an error of the domain, if the operation knows it. The conflicting record may be gone
// when it is looked for: then the answer is neither a conflict nor that a record is missing, and the work may succeed now.
func (d *Definition) explain(ctx context.Context, store *Store, intent Intent, command any, err error) error {
	broken, ok := errors.AsType[*pgconn.PgError](err)
	if !ok || !isConstraint(broken) {
		return err
	}
	explain := d.spec.Explain[broken.ConstraintName]
	if explain == nil {
		return err
	}
	explained := explain(ctx, store, intent, command, broken)
	switch missing := errors.Is(explained, record.ErrNotFound); {
	case missing && broken.Code != foreignKeyViolation:
		return errAgain
	case missing, errors.As(explained, new(*conflict.Error)), errors.As(explained, new(*invalid.Error)),
		errors.As(explained, new(*AlreadyDoneError)):
		return explained
	default: // nothing was done, but the conflicting record cannot be read now
		return fmt.Errorf("%w: explain %s: %w", ErrUnavailable, broken.ConstraintName, explained)
	}
}

// Used reports whether an intent was carried out, and what it created or found: for a form that is opened
// again, or a job that wants to know before it begins. It decides nothing, because the intent may be carried
// out right afterwards.
func (d *Definition) Used(ctx context.Context, store *Store, tenant uuid.UUID, key Key) (record uuid.UUID, used bool, err error) {
	var batch pgx.Batch
	batch.Queue(`SELECT set_config('onlyonce.tenant_id', $1::text, true)`, tenant)
	batch.Queue(`SELECT record_id FROM intents WHERE tenant_id = $1 AND operation = $2 AND key = $3`,
		tenant, d.spec.Name, key.value).QueryRow(func(row pgx.Row) error { return row.Scan(&record) })
	switch err = store.Pool.SendBatch(ctx, &batch).Close(); {
	case errors.Is(err, pgx.ErrNoRows):
		return uuid.Nil, false, nil
	case err != nil:
		return uuid.Nil, false, fmt.Errorf("look for intent: %w", err)
	default:
		return record, true, nil
	}
}
