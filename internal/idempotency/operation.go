package idempotency

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"onlyonce/internal/record"
)

// DefaultRetain is how long a result is kept, unless a [Spec] has another Retain.
const DefaultRetain = 24 * time.Hour

// The bounds of [Spec.Retain]. Less than a minute is over before a client tries again, and is mostly a number without its unit. A
// result may hold personal data, which is kept elsewhere too: after a year nobody repeats a request for it.
const (
	minRetain = time.Minute
	maxRetain = 365 * 24 * time.Hour
)

// Kind is a kind of change, with its promise.
type Kind int

// The kinds of change.
const (
	// Create makes a new record, once per key.
	Create Kind = iota
	// Upsert makes a new record, or finds the one that has the same natural key, once per key.
	Upsert
	// Change changes a record, once per key, and only the version that was seen.
	Change
	// Transition brings a record into a state, once per key. If it is in that state already, the work is not
	// done, and that is a success.
	Transition
)

// Changes reports whether the kind is about a record that was there before.
func (k Kind) Changes() bool { return k == Change || k == Transition }

// Intent is one wish, as the caller names it.
type Intent struct {
	Tenant uuid.UUID
	Key    Key
	// Actor is who the intent is for, in the history: a user's or a token's name.
	Actor string
	// Record is the id of the record. The caller names the one to change; for one that is created,
	// [Operation.Do] generates a new id, a UUIDv7.
	Record uuid.UUID
	// Seen is the version of the record that a change was made from. With 0, a transition takes any.
	Seen int
	// AsksAboutRepeat refuses to create what looks like a repeat of another intent, with a [*conflict.Error] of the kind
	// [LooksLikeRepeat]: for people who were not asked yet. Without it the result names what it looks like.
	AsksAboutRepeat bool

	// Request, if it is not zero, is what the next request is compared with: see [Operation.Again].
	Request Request

	attempt  uuid.UUID     // a new UUIDv7, the record's own if it is created
	external pgx.NamedArgs // of the command's external id, if its operation has such
}

// Spec describes an operation: how a command C becomes a result R, once. Its work is written in one of two
// styles, Statements or Run.
//
// Either must depend on its arguments and the database only, not on the clock, chance or the network,
// because it may be run again after a lost connection.
type Spec[C, R any] struct {
	// Kind is the kind of change. The zero value is Create.
	Kind Kind

	// Name is the operation's stable name, such as "invoice.create". It is part of the intent's key.
	Name string

	// Table has the records. Whether the tenant may still see a record is asked of it.
	Table record.Table[R]

	// Made is the SQL condition, on the row r of the table, that a transition makes true.
	Made string

	// Statements queues the statements of the transaction, which travel in one round trip: for hot paths.
	Statements func(*Tx, C) Result

	// Run is ordinary code on an ordinary transaction, which it can neither commit nor roll back. It takes a
	// round trip for each of its queries, and five more. The result's JSON has the "id" of what was
	// created or found. An error of its own rolls everything back and is returned by Do.
	Run func(context.Context, pgx.Tx, Intent, C) (R, error)

	// External, if set, returns what another system calls the record that the command is about. A create or an upsert under another key
	// finds the record that came with the same external id and content; other content is refused with [ExternalTaken]. The work
	// stores the external id; see [ExternalColumns].
	External func(C) External

	// Deletes means that records of the table may be deleted, so that the database is asked before each replay whether the record is
	// still there. Without it, a process answers from what it remembers, and nobody else deletes records either: they are archived,
	// voided, or marked. The role of the app has no right to.
	Deletes bool

	// Retain is how long the result is kept, at least: from a minute to 365 days, or DefaultRetain when zero. The intent is kept
	// for life.
	Retain time.Duration

	// Explain has the explanation of a violated constraint, by the constraint's name.
	Explain map[string]Explanation[C]

	// Alike describes which new records look like a repeat of another one; without it, none do.
	Alike Alike[R]

	// NotInFingerprint names the fields of the command, as Go calls them, that are no part of what is asked
	// for: with another value it is still the same command.
	NotInFingerprint []string

	// Fields returns what identifies the command in the log, such as its unique fields.
	Fields func(C) []slog.Attr
}

// Explanation turns a broken constraint into a [*conflict.Error], an [*invalid.Error], an [*AlreadyDoneError] or
// [record.ErrNotFound]. It is asked after the rollback, and may read. ErrNotFound means for a foreign key that the record it refers to
// does not exist, and for any other constraint that the conflicting record is gone: then the work is done again. Any other error means
// that it could not find out.
type Explanation[C any] func(context.Context, *Store, Intent, C, *pgconn.PgError) error

// Operation is a [Spec] that was checked by [Define]: the only way to a transaction with a claim.
type Operation[C, R any] struct{ *Definition }

// Definition is an operation without the types of its command and result, so that what carries out operations is compiled once.
type Definition struct {
	spec   Spec[any, any]
	around *intentSQL
	decode func(result []byte) (any, error)
}

// Define makes an operation. It panics on a spec that cannot keep its promise, which is a mistake in the program.
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
		spec.Explain[LookAlike(spec.Table.Name)] = Repeats[C](spec.Table, spec.Alike.Name)
	}
	definition := define(untyped(spec), reflect.TypeFor[R]())
	definition.decode = func(text []byte) (any, error) {
		var result R
		err := json.Unmarshal(text, &result)
		return result, err //nolint:wrapcheck // Do wraps it
	}
	return Operation[C, R]{definition}
}

// define returns the definition of a spec that was checked.
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

// as returns a value with the type that it is known to have.
func as[T any](value any) T { return value.(T) } //nolint:forcetypeassert // another type is a mistake in the program

// untyped returns a spec whose functions take a command of any type, which is a C. Its table and Alike serve for their names.
func untyped[C, R any](spec Spec[C, R]) Spec[any, any] {
	of := Spec[any, any]{
		Kind: spec.Kind, Name: spec.Name, Table: record.Table[any](spec.Table), Made: spec.Made, Deletes: spec.Deletes, Retain: spec.Retain,
		Alike: Alike[any]{Fields: spec.Alike.Fields, Within: spec.Alike.Within}, NotInFingerprint: spec.NotInFingerprint,
		Explain: map[string]Explanation[any]{},
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

// Name returns the operation's stable name.
func (d *Definition) Name() string { return d.spec.Name }

// Retention is how long a result is kept, at least.
func (d *Definition) Retention() time.Duration { return d.spec.Retain }

// Kind returns the kind of change.
func (d *Definition) Kind() Kind { return d.spec.Kind }

// Deletes reports whether records of the table may be deleted.
func (d *Definition) Deletes() bool { return d.spec.Deletes }

// Table returns the name of the table that has the records.
func (d *Definition) Table() string { return d.spec.Table.Name }

// Alike returns the fields by which records of the operation look alike, and for how long.
func (d *Definition) Alike() (fields []string, within time.Duration) {
	return d.spec.Alike.Fields, d.spec.Alike.Within
}

// Explained returns the names of the constraints that the operation explains.
func (d *Definition) Explained() []string { return slices.Sorted(maps.Keys(d.spec.Explain)) }
