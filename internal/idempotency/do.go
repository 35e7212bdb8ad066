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

// Store runs operations on one database, which has both records and intents.
type Store struct {
	Pool *pgxpool.Pool
	// Wait limits how long an attempt waits for a lock, most often for another attempt with its key. It is rounded up to whole
	// milliseconds, and is at least one: no value means to wait forever.
	Wait time.Duration
	// Timeout limits an attempt as a whole, including the wait and the lookups after a lost connection. It must be longer than Wait;
	// otherwise every attempt is an error.
	Timeout time.Duration
	// Retain, if set, overrides the retention of every operation.
	Retain time.Duration
	// Memory limits the size of the copies of settled intents in this process, in bytes; 0 is 8 MiB.
	Memory int
	// Shared, if set, holds copies of settled intents for all processes.
	Shared *Shared
	// Observe, if set, is called with each attempt when it ends.
	Observe func(context.Context, Attempt)

	compiled statements
	known    memory
	calls    calls
	attempts atomic.Int64
}

// Attempts returns how many attempts are running in this process now, including waiting ones.
func (s *Store) Attempts() int { return int(s.attempts.Load()) }

// bound returns Wait rounded to PostgreSQL's unit.
func (s *Store) bound() time.Duration {
	return max(s.Wait+time.Millisecond-1, time.Millisecond).Truncate(time.Millisecond)
}

// wait returns the bound as a PostgreSQL setting, where "0ms" would mean no limit.
func (s *Store) wait() string { return fmt.Sprintf("%dms", s.bound().Milliseconds()) }

func (s *Store) observe(ctx context.Context, a Attempt) {
	if s.Observe != nil {
		s.Observe(ctx, a)
	}
}

// Done is a finished intent.
type Done[R any] struct {
	// Value is read from the database for the first answer and for every later one.
	Value R
	// Outcome is Created, Reused, Changed or Unchanged.
	Outcome Outcome
	// Replayed reports whether an earlier attempt carried out the intent.
	Replayed bool

	keep func(answer []byte)
}

// Keep stores the answer to a repeat in memory, with the copy of its intent: see [Operation.Again]. It ignores the answer to a first
// success, because few of these are repeated.
func (d Done[R]) Keep(answer []byte) {
	if d.keep != nil {
		d.keep(answer)
	}
}

// Do runs the operation once for its intent, or returns the result of the earlier attempt that did.
//
// It returns a [MismatchError], an [AlreadyDoneError], [ErrInProgress], [ErrBusy], [ErrNotVisible], [ErrUnconfirmed], [ErrUnavailable],
// the error of an [Explanation] in [Spec.Explain], or the error that the work returned. For a change it also returns
// [record.ErrNotFound], [ErrNoVersion] or a [StaleError].
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

// do stores in attempt the facts that it finds out on the way.
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
	// The id of this attempt means that it did the work, even if it had to send it twice to find out.
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

// find returns the stored intent: the one that exists, or the one that it stores together with the work.
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
		store.known.forget(key) // the claim finds out the reason
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

// fingerprint returns the fingerprint of the command together with its record. It leaves out the version that was seen, because a user
// who reloads the record and repeats the request wants the same.
func (d *Definition) fingerprint(intent Intent, command any) (Fingerprint, error) {
	if !d.spec.Kind.Changes() {
		return FingerprintOf(command)
	}
	return FingerprintOf(struct {
		Record  uuid.UUID
		Command any
	}{intent.Record, command})
}

// transaction returns the transaction with the claim and the work of the operation.
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

// explain converts a constraint violation to an error of the domain, if the operation explains the constraint. If the conflicting record
// is gone by then, there is no conflict any more, so explain returns errAgain: the work may succeed now.
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

// Used reports whether an intent was carried out, and returns the id of its record, for a form that is opened again or a job that checks
// before it begins. The answer may be outdated at once, because the intent may be carried out at any time.
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
