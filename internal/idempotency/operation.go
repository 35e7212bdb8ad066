package idempotency

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"onlyonce/internal/invalid"
	"onlyonce/internal/record"
)

// DefaultRetain is the retention of results, unless [Spec.Retain] is set.
const DefaultRetain = 24 * time.Hour

// The bounds of [Spec.Retain]. Less than a minute ends before a client retries, and usually means that the unit is missing. A result may
// hold personal data that is also stored elsewhere, and after a year no client repeats a request for it.
const (
	minRetain = time.Minute
	maxRetain = 365 * 24 * time.Hour
)

// Kind is a kind of change. Each has its own guarantee.
type Kind int

// The kinds of change.
const (
	// Create inserts a new record, once per key.
	Create Kind = iota
	// Upsert inserts a new record or finds the one with the same natural key, once per key.
	Upsert
	// Change updates a record, once per key, and only from the version that was seen.
	Change
	// Transition moves a record into a state, once per key. If the record is in that state already, the transition succeeds without running
	// the work.
	Transition
)

// Changes reports whether the kind is about an existing record.
func (k Kind) Changes() bool { return k == Change || k == Transition }

// Intent is one request of a user or program, as the caller describes it.
type Intent struct {
	Tenant uuid.UUID
	Key    Key
	// Actor is the name of the user or token that the intent belongs to, for the history.
	Actor string
	// Record is the id of the record. The caller sets it to the record to change. To create one, [Operation.Do] generates the id, a
	// UUIDv7.
	Record uuid.UUID
	// Seen is the version of the record that was seen before the change. With 0, a transition accepts any version.
	Seen int
	// AsksAboutRepeat makes Do refuse to create a likely repeat of an earlier record, with a [*conflict.Error] of the kind
	// [LooksLikeRepeat]. Forms set it until the user has confirmed. If it isn't set, the record is created, and the result has the id of
	// the earlier one.
	AsksAboutRepeat bool

	// Request, if set, identifies a byte-identical repeat of the request: see [Operation.Again].
	Request Request

	attempt  uuid.UUID     // a new UUIDv7, also the id of a record to create
	external pgx.NamedArgs // the command's external id, if the operation has one
}

// Spec describes an operation, which turns a command C into a result R, once. Its work is written in one of two styles, Statements or
// Run.
//
// Either must depend on its arguments and the database only, not on the clock, randomness or the network, because it may be run again
// after a lost connection.
type Spec[C, R any] struct {
	// Kind is the kind of change. The zero value is Create.
	Kind Kind

	// Name is the operation's stable name, such as "invoice.create". It is part of the primary key of its intents.
	Name string

	// Table is the table of the records. A replay checks there that the tenant may still see the record.
	Table record.Table[R]

	// Made is the SQL condition on the row r of the table that a transition makes true.
	Made string

	// Locks is a statement that runs before the record of a change or a transition is locked, for an operation that has to lock other rows
	// first, so that it locks them in the order of other operations. "" means none.
	Locks string

	// Statements queues the statements of the transaction, which are sent in one round trip. It is for hot paths.
	Statements func(*Tx, C) Result

	// Run is ordinary code on a transaction, which it can neither commit nor roll back. It takes a round trip for each of its queries, and
	// five more. The JSON of the result has the "id" of the record that was created or found. If Run returns an error, everything is rolled
	// back and Do returns that error.
	Run func(context.Context, pgx.Tx, Intent, C) (R, error)

	// External, if set, returns the external id of the record that the command is about. A create or an upsert under another key finds the
	// record with the same external id and content; other content is refused with [ExternalTaken]. The work stores the external id: see
	// [ExternalColumns].
	External func(C) External

	// Deletes means that records of the table may be deleted, so each replay checks in the database that the record still exists. Without
	// it, a process answers from memory, and records must not be deleted in any other way: they are archived, voided or marked, and the
	// role of the app has no right to delete.
	Deletes bool

	// Retain is the minimum time for which the result is kept, from a minute to 365 days. 0 means DefaultRetain. The intent is kept for
	// life.
	Retain time.Duration

	// Explain maps the names of constraints to the explanations of their violation.
	Explain map[string]Explanation[C]

	// Alike describes which new records look like a repeat of an earlier one. If it is zero, none do.
	Alike Alike[R]

	// NotInFingerprint lists the Go names of the command's fields that the fingerprint leaves out. Commands that differ only there are the
	// same.
	NotInFingerprint []string

	// Fields returns the attributes that identify the command in the log, such as its unique fields.
	Fields func(C) []slog.Attr
}

// Explanation converts a constraint violation to a [*conflict.Error], an [*invalid.Error], an [*AlreadyDoneError] or
// [record.ErrNotFound]. It is called after the rollback, and may read from the database. For a foreign key, ErrNotFound means that the
// referenced record does not exist. For any other constraint, it means that the conflicting record is gone; the work is then done again.
// Any other error means that the explanation failed.
type Explanation[C any] func(context.Context, *Store, Intent, C, *pgconn.PgError) error

// Name returns the operation's stable name.
func (d *Definition) Name() string { return d.spec.Name }

// Retention returns the minimum time for which a result is kept.
func (d *Definition) Retention() time.Duration { return d.spec.Retain }

// Kind returns the kind of change.
func (d *Definition) Kind() Kind { return d.spec.Kind }

// Deletes reports whether records of the table may be deleted: see [Spec.Deletes].
func (d *Definition) Deletes() bool { return d.spec.Deletes }

// Table returns the name of the table of the records.
func (d *Definition) Table() string { return d.spec.Table.Name }

// Alike returns the fields by which records of the operation look the same, and the time within which they do.
func (d *Definition) Alike() (fields []string, within time.Duration) {
	return d.spec.Alike.Fields, d.spec.Alike.Within
}

// NamesRepeats reports whether the question about a likely repeat names the first record.
func (d *Definition) NamesRepeats() bool { return d.spec.Alike.Name != nil }

// Explained returns the names of the constraints that the operation explains.
func (d *Definition) Explained() []string { return slices.Sorted(maps.Keys(d.spec.Explain)) }

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

// Always explains a constraint with the same error for every command.
func Always[C any](say func() error) Explanation[C] {
	return func(context.Context, *Store, Intent, C, *pgconn.PgError) error { return say() }
}

// Invalid explains a constraint with a message at a place of the command.
func Invalid[C any](pointer, message string) Explanation[C] {
	return Always[C](func() error {
		var problems invalid.Error
		problems.Add(pointer, message)
		return problems.Err()
	})
}

// Missing explains a foreign key: the referenced record does not exist.
func Missing[C any](context.Context, *Store, Intent, C, *pgconn.PgError) error {
	return record.ErrNotFound
}

// Taken explains a unique constraint with the record that already has the value. where is the condition on the row r that finds the
// record, args returns the condition's arguments, and say makes the conflict.Error. If no record has the value any more, the work is done
// again.
func Taken[C, R any](
	table record.Table[R], where string, args func(C) pgx.NamedArgs, say func(command C, existing R) error,
) Explanation[C] {
	return func(ctx context.Context, store *Store, intent Intent, command C, _ *pgconn.PgError) error {
		existing, err := record.FindBy(ctx, store.Pool, table, intent.Tenant, where, args(command))
		if err != nil {
			return err
		}
		return say(command, existing)
	}
}
