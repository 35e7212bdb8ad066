package record

import (
	"context"
	"fmt"
	"maps"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Collect reads rows as a tenant. The setting for row-level security and the query are sent in one round trip, as one implicit read-only
// transaction: PostgreSQL refuses a query that changes rows. Collect panics if sql has other named arguments than args and tenant_id.
func Collect[T any](
	ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, scan pgx.RowToFunc[T], sql string, args pgx.NamedArgs,
) ([]T, error) {
	found := []T{}
	err := each(ctx, pool, tenant, sql, args, func(rows pgx.CollectableRow) error {
		row, err := scan(rows)
		found = append(found, row)
		return err
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

// each reads rows like [Collect], and calls scan for each.
func each(
	ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, sql string, args pgx.NamedArgs, scan func(pgx.CollectableRow) error,
) error {
	named := pgx.StrictNamedArgs{"tenant_id": tenant}
	maps.Copy(named, args)
	rewritten, values, err := named.RewriteQuery(ctx, nil, sql, nil)
	if err != nil { // a bug, which an error about the database would hide
		panic(fmt.Sprintf("record: %v in %s", err, sql))
	}
	var batch pgx.Batch
	batch.Queue(`
		SELECT set_config('onlyonce.tenant_id', $1::text, true), set_config('transaction_read_only', 'on', true)`, tenant)
	batch.Queue(rewritten, values...).Query(func(rows pgx.Rows) error {
		for rows.Next() {
			if err := scan(rows); err != nil {
				return err
			}
		}
		return rows.Err()
	})
	if err := pool.SendBatch(ctx, &batch).Close(); err != nil {
		return fmt.Errorf("read as tenant: %w", err)
	}
	return nil
}

// One reads one row as a tenant. It returns [pgx.ErrNoRows] if no row matches.
func One[T any](
	ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, scan pgx.RowToFunc[T], sql string, args pgx.NamedArgs,
) (T, error) {
	found, err := Collect(ctx, pool, tenant, scan, sql, args)
	var none T
	switch {
	case err != nil:
		return none, err
	case len(found) == 0:
		return none, pgx.ErrNoRows
	default:
		return found[0], nil
	}
}

// IDs converts ids to the form of a uuid[] argument that also works behind a pooler, where pgx doesn't know the types of parameters. It
// never returns nil, which would be NULL.
func IDs(ids []uuid.UUID) []string {
	all := make([]string, len(ids))
	for i, id := range ids {
		all[i] = id.String()
	}
	return all
}
