package idempotency

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"onlyonce/internal/invalid"
	"onlyonce/internal/record"
)

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
		existing, err := table.FindBy(ctx, store.Pool, intent.Tenant, where, args(command))
		if err != nil {
			return err
		}
		return say(command, existing)
	}
}
