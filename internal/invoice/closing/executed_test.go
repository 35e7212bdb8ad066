package closing_test

import (
	"context"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/invoice/closing"
	"onlyonce/internal/invoice/invoicetest"
	"onlyonce/internal/must"
)

// TestExecutedSQL compares testdata with the statements that PostgreSQL executes.
func TestExecutedSQL(t *testing.T) {
	b := invoicetest.Setup(t)
	sql := b.Executed()
	d, err := closing.Input{Through: "2026-10-31"}.Draft()
	must.OK(t, err)
	made := storetest.Execute(sql, "", closing.Create, uuid.Nil, 0, d)
	sql.Lookup("last closed day", func(ctx context.Context, pool *pgxpool.Pool) error {
		_, err := closing.Last(ctx, pool, b.Tenant)
		return err
	})
	storetest.Execute(sql, "", closing.Reopen, made.ID, 0, struct{}{})
	storetest.List(sql, "closings", closing.List)
	storetest.Record(sql, "closing", closing.Table, made.ID)
}
