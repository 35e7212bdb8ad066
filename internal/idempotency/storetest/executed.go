package storetest

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/conflict"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/record"
)

// Executed records the SQL of operations, lists and lookups: see [pgtest.Executed].
type Executed struct {
	*pgtest.Executed

	b    *Bundle
	keys int
}

// Executed returns a recorder of the statements of the bundle's store.
func (b *Bundle) Executed() *Executed {
	b.Helper()
	e := &Executed{Executed: b.DB.Executed(b), b: b}
	b.Store = b.Replica()
	b.Store.Pool = e.Pool
	return e
}

// attempt runs an operation, and records it under its name and a note. Its file is the last part of the name.
func attempt[C, R any](
	e *Executed, note string, op idempotency.Operation[C, R], of uuid.UUID, seen int, command C, check func(error) error,
) R {
	e.b.Helper()
	e.keys++
	intent := e.b.Of(fmt.Sprint("executed ", e.keys), of, seen)
	var done idempotency.Done[R]
	name := op.Definition.Name()
	e.Section(name[strings.LastIndex(name, ".")+1:], strings.TrimSpace(name+" "+note), func() (err error) {
		done, err = op.Do(e.b.Context(), e.b.Store, intent, command)
		return check(err)
	})
	return done.Value
}

// Execute runs an operation on the record with the id of, in the version seen, and records its statements. note distinguishes the cases of
// an operation.
func Execute[C, R any](e *Executed, note string, op idempotency.Operation[C, R], of uuid.UUID, seen int, command C) R {
	e.b.Helper()
	return attempt(e, note, op, of, seen, command, func(err error) error { return err })
}

// Refuse is [Execute] for a command that is refused with a conflict of the kind.
func Refuse[C, R any](e *Executed, kind *conflict.Kind, op idempotency.Operation[C, R], of uuid.UUID, seen int, command C) {
	e.b.Helper()
	attempt(e, "refused: "+kind.Slug, op, of, seen, command, func(err error) error {
		if !IsConflict(err, kind) {
			return fmt.Errorf("not a conflict of the kind %s: %w", kind.Slug, err)
		}
		return nil
	})
}

// Read is the signature of a list without a filter.
type Read[R any] = func(context.Context, *pgxpool.Pool, uuid.UUID, record.Page) (record.List[R], error)

// By returns a list with a filter, or of the records of a parent.
func By[F, R any](
	list func(context.Context, *pgxpool.Pool, uuid.UUID, F, record.Page) (record.List[R], error), filter F,
) Read[R] {
	return func(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, page record.Page) (record.List[R], error) {
		return list(ctx, pool, tenant, filter, page)
	}
}

// List records the first page of a list.
func List[R any](e *Executed, name string, read Read[R]) {
	e.b.Helper()
	readPage(e, name, read, record.Page{Limit: 25})
}

// Pages records the first page of a list of at least two records, the next one, and the one before that.
func Pages[R any](e *Executed, name string, read Read[R]) {
	e.b.Helper()
	first := readPage(e, name, read, record.Page{Limit: 1})
	if (first.After == record.Key{}) {
		e.b.Fatalf("%s: no second page", name)
	}
	next := readPage(e, name+", next page", read, record.Page{Limit: 1, From: first.After})
	readPage(e, name+", previous page", read, record.Page{Limit: 1, From: next.Before, Back: true})
}

func readPage[R any](e *Executed, name string, read Read[R], page record.Page) (list record.List[R]) {
	e.b.Helper()
	e.Section("list", name, func() (err error) {
		list, err = read(e.b.Context(), e.Pool, e.b.Tenant, page)
		return err
	})
	return list
}

// Find records a lookup with one argument besides the tenant.
func Find[A, R any](e *Executed, name string, find func(context.Context, *pgxpool.Pool, uuid.UUID, A) (R, error), argument A) {
	e.b.Helper()
	e.Section("find", name, func() error {
		_, err := find(e.b.Context(), e.Pool, e.b.Tenant, argument)
		return err
	})
}

// Record records the lookup of a record.
func Record[R any](e *Executed, name string, from record.Table[R], id uuid.UUID) {
	e.b.Helper()
	find := func(ctx context.Context, pool *pgxpool.Pool, tenant, id uuid.UUID) (R, error) {
		return record.Find(ctx, pool, from, tenant, id)
	}
	Find(e, name, find, id)
}

// Lookup records any other lookup.
func (e *Executed) Lookup(name string, find func(context.Context, *pgxpool.Pool) error) {
	e.b.Helper()
	e.Section("find", name, func() error { return find(e.b.Context(), e.Pool) })
}
