package importing

import (
	"context"
	"errors"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/idempotency"
	"onlyonce/internal/record"
)

// Spec describes a kind of imports for [Define]. C is the command that creates a record from an entry.
type Spec[C any] struct {
	// One and Many are the words for the records: "customer" and "customers". Many is also the kind of stored imports and the path of the
	// records, and One begins the names of the operations. Both stay for life.
	One, Many string

	// Fields are the fields that a column can have, in the order of a form, and Prefixes begin headings of exports: "client.city".
	Fields   []Field
	Prefixes []string
	// Lacks returns a sentence about a field that no column has, although it is required, or "".
	Lacks func(has func(field string) bool) string

	// Read returns a function that is called for each entry of a file in order. It returns the command, or sets the verdict and the
	// problem of the entry.
	Read func(Import) func(*Entry) C
	// Judge sets the verdicts of a chunk of entries that have none, in a bounded number of round trips.
	Judge func(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, i Import, entries []*Entry, commands []C) error
	// Do carries out the intents of an entry: see [Do]. It reports whether a record was created, or else was there. It is called again
	// in the next attempt if the error is transient. Any other error is the problem of the entry.
	Do func(ctx context.Context, a Attempt, command C) (created bool, err error)
}

// Kind is a kind of imports, with its operations.
type Kind struct {
	One, Many string
	Fields    []Field
	// Table has only the imports of the kind.
	Table record.Table[Import]

	// Upload stores a file to import, with the settings of the last confirmed import with the same headings, if there is one.
	Upload idempotency.Operation[Draft, Import]
	// Confirm starts an import: it fixes the settings and queues the job.
	Confirm idempotency.Operation[Settings, Import]
	// Stop ends the job of an import after the rows that it is working on.
	Stop idempotency.Operation[struct{}, Import]
	// Continue goes on with a stopped import, in the name of the user who continues it.
	Continue idempotency.Operation[struct{}, Import]

	prefixes []string
	lacks    func(func(string) bool) string
	read     func(Import) func(*Entry) any
	judgeAll func(context.Context, *pgxpool.Pool, uuid.UUID, Import, []*Entry) error
	do       func(context.Context, Attempt, *Entry) (bool, error)
}

// Define returns a kind of imports. It is called once for each kind.
func Define[C any](spec Spec[C]) *Kind {
	k := &Kind{
		One: spec.One, Many: spec.Many, Fields: spec.Fields, Table: table, prefixes: spec.Prefixes, lacks: spec.Lacks,
		read: func(i Import) func(*Entry) any {
			read := spec.Read(i)
			return func(e *Entry) any { return read(e) }
		},
		judgeAll: func(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, i Import, entries []*Entry) error {
			commands := make([]C, len(entries))
			for n, e := range entries {
				commands[n] = e.command.(C) //nolint:forcetypeassert // Read returned it
			}
			return spec.Judge(ctx, pool, tenant, i, entries, commands)
		},
		do: func(ctx context.Context, a Attempt, e *Entry) (bool, error) {
			return spec.Do(ctx, a, e.command.(C)) //nolint:forcetypeassert // Read returned it
		},
	}
	k.Table.Only = `r.kind = '` + spec.Many + `'`
	k.define()
	return k
}

// Attempt carries out an entry in the name of a user.
type Attempt struct {
	Store  *idempotency.Store
	Tenant uuid.UUID
	Import Import

	actor string
	line  int
}

// Do carries out an intent of an entry whose key is the same in each attempt. part distinguishes the intents of an entry; of is the record
// to change, or [uuid.Nil] to create one. It returns the id of the record, and whether this key has created or changed it.
func Do[C any, R interface {
	Identity() (id uuid.UUID, version int)
}](ctx context.Context, a Attempt, op idempotency.Operation[C, R], part string, of uuid.UUID, command C) (uuid.UUID, bool, error) {
	key, err := idempotency.ParseKey(a.Import.Key(a.line) + part)
	if err != nil {
		return uuid.Nil, false, err
	}
	done, err := op.Do(ctx, a.Store, idempotency.Intent{Tenant: a.Tenant, Key: key, Actor: a.actor, Record: of}, command)
	id, _ := done.Value.Identity()
	if expired, ok := errors.AsType[*idempotency.AlreadyDoneError](err); ok {
		id, done.Outcome, err = expired.Record, expired.Outcome, nil
	}
	return id, done.Outcome == idempotency.Created || done.Outcome == idempotency.Changed, err
}
