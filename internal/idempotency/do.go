package idempotency

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"reflect"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"onlyonce/internal/conflict"
	"onlyonce/internal/invalid"
	"onlyonce/internal/record"
)

// Operation is a [Spec] that [Define] has checked. It is the only way to a transaction with a claim.
type Operation[C, R any] struct{ Definition *Definition }

// Definition is an operation without the types of its command and result, so the code that carries out operations is compiled only once.
type Definition struct {
	spec   Spec[any, any]
	around *intentSQL
	decode func(result []byte) (any, error)
}

// Define returns an operation. It panics if the spec can't keep its guarantees, which is a bug.
func Define[C, R any](spec Spec[C, R]) Operation[C, R] {
	switch {
	case spec.Name == "", spec.Table.Name == "":
		panic("idempotency: give the operation a Name, and the Table of its records")
	case (spec.Statements == nil) == (spec.Run == nil):
		panic("idempotency: " + spec.Name + ": set either Statements or Run, the two styles of its work")
	case spec.Kind == Transition && spec.Made == "":
		panic("idempotency: " + spec.Name + ": set Made to the condition that the transition makes true, such as r.archived_at IS NOT NULL")
	case spec.Kind != Transition && spec.Made != "":
		panic("idempotency: " + spec.Name + ": leave out Made, or set Kind to Transition")
	case spec.Locks != "" && !spec.Kind.Changes():
		panic("idempotency: " + spec.Name + ": leave out Locks, or set Kind to Change or Transition")
	case spec.Retain != 0 && (spec.Retain < minRetain || spec.Retain > maxRetain):
		panic(fmt.Sprintf("idempotency: %s: Retain is %v: set it to at least a minute and at most 365 days, such as 72 * time.Hour, "+
			"or leave it out for %v", spec.Name, spec.Retain, DefaultRetain))
	}
	mustFingerprint(spec.Name, reflect.TypeFor[C](), spec.NotInFingerprint)
	spec.Alike.check(spec.Name, spec.Kind)
	if len(spec.Alike.Fields) > 0 {
		spec.Explain = maps.Clone(spec.Explain)
		if spec.Explain == nil {
			spec.Explain = map[string]Explanation[C]{}
		}
		if look := LookAlike(spec.Table.Name); spec.Explain[look] == nil {
			spec.Explain[look] = Repeats[C](spec.Table, spec.Alike)
		}
	}
	definition := define(untyped(spec), reflect.TypeFor[R]())
	definition.decode = func(text []byte) (any, error) {
		var result R
		err := json.Unmarshal(text, &result)
		return result, err //nolint:wrapcheck // Do wraps it
	}
	return Operation[C, R]{definition}
}

// define returns the definition of a checked spec.
func define(spec Spec[any, any], result reflect.Type) *Definition {
	if spec.External != nil {
		external := spec
		explain := func(ctx context.Context, store *Store, intent Intent, _ any, _ *pgconn.PgError) error {
			return externalTaken(ctx, store, external, intent)
		}
		spec.Explain[spec.Table.Name+"_external_once"] = explain
	}
	if spec.Retain == 0 {
		spec.Retain = DefaultRetain
	}
	around := intentSQLOf(spec, result)
	return &Definition{spec: spec, around: &around}
}

// as converts a value to the type that it is known to have.
func as[T any](value any) T { return value.(T) } //nolint:forcetypeassert // another type is a bug

// untyped returns the spec with functions that take a command as any; it must be a C. Of Table, only the names are used.
func untyped[C, R any](spec Spec[C, R]) Spec[any, any] {
	of := Spec[any, any]{
		Kind: spec.Kind, Name: spec.Name, Table: record.Table[any](spec.Table), Made: spec.Made, Locks: spec.Locks,
		Deletes: spec.Deletes, Retain: spec.Retain,
		Alike: Alike[any]{Fields: spec.Alike.Fields, Within: spec.Alike.Within}, NotInFingerprint: spec.NotInFingerprint,
		Explain: map[string]Explanation[any]{},
	}
	if spec.Alike.Name != nil {
		of.Alike.Name = func(found any) string { return spec.Alike.Name(as[R](found)) }
	}
	if spec.Statements != nil {
		of.Statements = func(tx *Tx, command any) Result { return spec.Statements(tx, as[C](command)) }
	}
	if spec.Run != nil {
		of.Run = func(ctx context.Context, tx pgx.Tx, intent Intent, command any) (any, error) {
			return spec.Run(ctx, tx, intent, as[C](command))
		}
	}
	if spec.External != nil {
		of.External = func(command any) External { return spec.External(as[C](command)) }
	}
	if spec.Fields != nil {
		of.Fields = func(command any) []slog.Attr { return spec.Fields(as[C](command)) }
	}
	for constraint, explain := range spec.Explain {
		of.Explain[constraint] = func(ctx context.Context, store *Store, intent Intent, command any, refused *pgconn.PgError) error {
			return explain(ctx, store, intent, as[C](command), refused)
		}
	}
	return of
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
			return done, &AlreadyDoneError{Record: found.record, Outcome: found.outcome}
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
		t.explainViolation = func(ctx context.Context, err error) error {
			return d.explainViolation(ctx, store, intent, command, err)
		}
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
		if t.begin, err = store.compiled.bind(ctx, args, append(around.locks(), around.begin())...); err != nil {
			return transaction{}, err
		}
		if d.spec.Kind == Change {
			if t.asItIs, err = store.compiled.bind(ctx, args, append(around.locks(), around.beginAsItIs())...); err != nil {
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

// explainViolation converts a constraint violation to an error of the domain, if the operation explains the constraint. If the conflicting
// record is gone by then, there is no conflict any more, so it returns errAgain: the work may succeed now.
func (d *Definition) explainViolation(ctx context.Context, store *Store, intent Intent, command any, err error) error {
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
