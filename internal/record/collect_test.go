package record_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/record"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// TestCollectOnlyReads checks that a query that changes rows is refused, and that the connection is not read-only afterwards.
func TestCollectOnlyReads(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	tenant := uuid.New()
	must.Exec(t, db.Pool, `INSERT INTO tenants (id, name) VALUES ($1, 'Test')`, tenant)
	const insert = `INSERT INTO customers (tenant_id, id, email, name) VALUES (@tenant_id, @id, 'a@b.c', 'A') RETURNING name`
	args := pgx.NamedArgs{"id": uuid.New()}
	_, err := record.Collect(t.Context(), db.Pool, tenant, pgx.RowTo[string], insert, args)
	refused, ok := errors.AsType[*pgconn.PgError](err)
	assert.Thatf(t, ok && refused.Code == "25006", "changed something: %v", err)
	const all = `SELECT name FROM customers WHERE tenant_id = @tenant_id`
	names, err := record.Collect(t.Context(), db.Pool, tenant, pgx.RowTo[string], all, nil)
	assert.Thatf(t, err == nil && len(names) == 0, "%v, %v", names, err)
	err = pgx.BeginFunc(t.Context(), db.Pool, func(tx pgx.Tx) error {
		args["tenant_id"] = tenant
		if _, err := tx.Exec(t.Context(), `SELECT set_config('onlyonce.tenant_id', $1::text, true)`, tenant); err != nil {
			return err
		}
		return tx.QueryRow(t.Context(), insert, args).Scan(new(string))
	})
	assert.Thatf(t, err == nil, "the connection stayed read-only: %v", err)
}

// TestCollectWithOtherArguments checks that a wrong argument name panics, because it is a bug and not an error of the database.
func TestCollectWithOtherArguments(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	for _, args := range []pgx.NamedArgs{nil, {"email": "a@b.c", "name": "A"}} {
		func() {
			defer func() {
				message, _ := recover().(string)
				assert.Thatf(t, strings.Contains(message, "record: argument"), "%v: %q", args, message)
			}()
			_, err := record.Collect(t.Context(), db.Pool, uuid.New(), pgx.RowTo[string],
				`SELECT name FROM customers WHERE tenant_id = @tenant_id AND email = @email`, args)
			t.Errorf("%v: %v", args, err)
		}()
	}
}
