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

	// Group returns a function that is called for each row of a file in order. It returns a text, such as a number. Neighboring rows with
	// the same one are an entry. A row without one is an entry, and each is if Group is nil.
	Group func(columns []string) func(Row) string
	// Read returns a function that is called for each entry of a file in order. It returns the command, or sets the verdict and the
	// problem of the entry.
	Read func(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, i Import) (func(*Entry) C, error)
	// Judge sets the verdicts of a chunk of entries that have none, in a bounded number of round trips.
	Judge func(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, i Import, entries []*Entry, commands []C) error
	// Do carries out the intents of an entry: see [Do]. It reports whether a record was created, or else was there. It is called again
	// in the next attempt if the error is transient. Any other error is the problem of the entry.
	Do func(ctx context.Context, a Attempt, command C) (created bool, err error)
	// Caution returns a sentence about a number of new entries that are marked, for the question before the import, or ""; nil for none.
	Caution func(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, marked int) (string, error)

	// TakeBack queues the statements that take back the records of the import @record_id. They fail with constraint imports_in_use if
	// [Spec.Used] has one. It is nil if imports of the kind can't be taken back.
	TakeBack func(tx *idempotency.Tx)
	// Used returns the first records of an import that can't be taken back, because they were changed or others refer to them.
	Used func(ctx context.Context, pool *pgxpool.Pool, tenant, of uuid.UUID, most int) ([]Used, error)
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
	// TakeBack takes back the records of an import. It is unset unless [Kind.TakesBack].
	TakeBack idempotency.Operation[struct{}, Import]

	prefixes []string
	lacks    func(func(string) bool) string
	group    func(columns []string) func(Row) string
	read     func(context.Context, *pgxpool.Pool, uuid.UUID, Import) (func(*Entry) any, error)
	judgeAll func(context.Context, *pgxpool.Pool, uuid.UUID, Import, []*Entry) error
	do       func(context.Context, Attempt, *Entry) (bool, error)
	caution  func(context.Context, *pgxpool.Pool, uuid.UUID, int) (string, error)
	takeBack func(*idempotency.Tx)
	used     func(ctx context.Context, pool *pgxpool.Pool, tenant, of uuid.UUID, most int) ([]Used, error)
}

// TakesBack reports whether imports of the kind can be taken back.
func (k *Kind) TakesBack() bool { return k.takeBack != nil }

// Define returns a kind of imports. It is called once for each kind.
func Define[C any](spec Spec[C]) *Kind {
	k := &Kind{
		One: spec.One, Many: spec.Many, Fields: spec.Fields, Table: table, prefixes: spec.Prefixes, lacks: spec.Lacks,
		group: spec.Group, caution: spec.Caution,
		read: func(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, i Import) (func(*Entry) any, error) {
			read, err := spec.Read(ctx, pool, tenant, i)
			return func(e *Entry) any { return read(e) }, err
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
		takeBack: spec.TakeBack, used: spec.Used,
	}
	k.Table.Only = `r.kind = '` + spec.Many + `'`
	k.define()
	return k
}

// Caution returns a sentence about a number of new entries that are marked, for the question before the import, or "".
func (k *Kind) Caution(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, marked int) (string, error) {
	if k.caution == nil || marked == 0 {
		return "", nil
	}
	return k.caution(ctx, pool, tenant, marked)
}

// Attempt carries out an entry in the name of a user.
type Attempt struct {
	Store  *idempotency.Store
	Tenant uuid.UUID
	Import Import
	Key    string // of the first intent of the entry, the same in each attempt

	actor string
	line  int
}

// Do carries out an intent of an import, whose key is the same in each attempt. of is the record to change, or [uuid.Nil] to create one. It
// returns the id of the record, and whether this key has created or changed it. The command may depend on what exists, so an earlier one
// under the key counts.
func Do[C any, R interface {
	Identity() (id uuid.UUID, version int)
}](ctx context.Context, a Attempt, key string, op idempotency.Operation[C, R], of uuid.UUID, command C) (uuid.UUID, bool, error) {
	parsed, err := idempotency.ParseKey(key)
	if err != nil {
		return uuid.Nil, false, err
	}
	done, err := op.Do(ctx, a.Store, idempotency.Intent{Tenant: a.Tenant, Key: parsed, Actor: a.actor, Record: of}, command)
	id, _ := done.Value.Identity()
	if expired, ok := errors.AsType[*idempotency.AlreadyDoneError](err); ok {
		id, done.Outcome, err = expired.Record, expired.Outcome, nil
	}
	if earlier, ok := errors.AsType[*idempotency.MismatchError](err); ok {
		id, done.Outcome, err = earlier.Record, idempotency.Created, nil
	}
	return id, done.Outcome == idempotency.Created || done.Outcome == idempotency.Changed, err
}
