package idempotency

import (
	"context"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"
)

// DefaultRetain is how long a record is kept when a [Spec] does not say otherwise.
const DefaultRetain = 24 * time.Hour

// Intent is one wish, as the caller names it.
type Intent struct {
	Tenant uuid.UUID
	Key    Key
	// Actor says on whose behalf, for the audit trail: a user's or a token's name.
	Actor string
}

// Spec describes an operation: how a command C becomes a result R, once.
type Spec[C, R any] struct {
	// Name is the operation's stable name, such as "invoice.create". It is part of the record's key.
	Name string

	// Work queues the statements of the transaction. It must depend on its arguments only, because it
	// may be sent again after a lost connection.
	Work func(*Tx, C) Result

	// Retain is how long the record is kept, at least; DefaultRetain when zero.
	Retain time.Duration

	// Visible is a SELECT that gives a row if the tenant @tenant_id may still see what was created:
	// the row with the id record.id. Without it, a replay is always answered.
	Visible string

	// Explain turns a broken constraint into an error of the domain. It is asked after the rollback
	// and may read. When the created row already carries this intent's key, it returns an
	// [AlreadyDoneError]. It returns nil when the constraint means nothing to it.
	Explain func(context.Context, *Store, Intent, C, *pgconn.PgError) error

	// Fields gives what identifies the command in the log, such as its unique fields.
	Fields func(C) []slog.Attr
}

// Operation is a [Spec] that was checked by [Define]: the only way to a [Tx].
type Operation[C, R any] struct{ spec Spec[C, R] }

// Define makes an operation. It panics on an incomplete spec, which is a mistake in the program.
func Define[C, R any](spec Spec[C, R]) Operation[C, R] {
	if spec.Name == "" || spec.Work == nil {
		panic("idempotency: an operation needs a name and its work")
	}
	if spec.Retain == 0 {
		spec.Retain = DefaultRetain
	}
	return Operation[C, R]{spec}
}

// Name gives the operation's stable name.
func (o Operation[C, R]) Name() string { return o.spec.Name }

// Retention is how long a key is remembered, at least.
func (o Operation[C, R]) Retention() time.Duration { return o.spec.Retain }
