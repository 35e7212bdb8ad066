package idempotency

import (
	"context"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// DefaultRetain is how long a result is kept when a [Spec] does not say otherwise.
const DefaultRetain = 24 * time.Hour

// Intent is one wish, as the caller names it.
type Intent struct {
	Tenant uuid.UUID
	Key    Key
	// Actor says on whose behalf, for the audit trail: a user's or a token's name.
	Actor string
	// Record is the id for what is created, a UUIDv7. [Operation.Do] sets it.
	Record uuid.UUID
}

// Spec describes an operation: how a command C becomes a result R, once. Its work is written in one of two
// styles, Statements or Run.
//
// Either must depend on its arguments and the database only, not on the clock, chance or the network,
// because it may be run again after a lost connection.
type Spec[C, R any] struct {
	// Name is the operation's stable name, such as "invoice.create". It is part of the intent's key.
	Name string

	// Statements queues the statements of the transaction, which travel in one round trip: for hot paths.
	Statements func(*Tx, C) Result

	// Run is ordinary code on an ordinary transaction, which it can neither commit nor roll back. It takes a
	// round trip for each of its queries, and five more. The result's JSON has the "id" of what was
	// created or found. An error of its own rolls everything back and is returned by Do.
	Run func(context.Context, pgx.Tx, Intent, C) (R, error)

	// Retain is how long the result is kept, at least; DefaultRetain when zero. The intent is kept for life.
	Retain time.Duration

	// Visible is a SELECT that gives a row if the tenant @tenant_id may still see what was created:
	// the row with the id record.id. Without it, a replay is always answered.
	Visible string

	// Explain turns a broken constraint into an error of the domain. It is asked after the rollback
	// and may read. It returns nil when the constraint means nothing to it.
	Explain func(context.Context, *Store, Intent, C, *pgconn.PgError) error

	// Fields gives what identifies the command in the log, such as its unique fields.
	Fields func(C) []slog.Attr
}

// Operation is a [Spec] that was checked by [Define]: the only way to a transaction with a claim.
type Operation[C, R any] struct{ spec Spec[C, R] }

// Define makes an operation. It panics on an incomplete spec, which is a mistake in the program.
func Define[C, R any](spec Spec[C, R]) Operation[C, R] {
	if spec.Name == "" || (spec.Statements == nil) == (spec.Run == nil) {
		panic("idempotency: an operation needs a name, and its work in one of the two styles")
	}
	if spec.Retain == 0 {
		spec.Retain = DefaultRetain
	}
	return Operation[C, R]{spec}
}

// Name gives the operation's stable name.
func (o Operation[C, R]) Name() string { return o.spec.Name }

// Retention is how long a result is kept, at least.
func (o Operation[C, R]) Retention() time.Duration { return o.spec.Retain }
