package taxsummary_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/invoice/taxsummary"
	"onlyonce/internal/must"
	"onlyonce/internal/value/date"
)

// TestExecutedSQL compares testdata with the statements that PostgreSQL executes.
func TestExecutedSQL(t *testing.T) {
	b := setup(t)
	day, err := date.Parse("2026-11-21")
	must.OK(t, err)
	executed := b.Executed()
	executed.Lookup("sums of a period", func(ctx context.Context, pool *pgxpool.Pool) error {
		_, err := taxsummary.Of(ctx, pool, b.Tenant, day, day)
		return err
	})
	executed.Lookup("EU sales list", func(ctx context.Context, pool *pgxpool.Pool) error {
		_, _, err := taxsummary.EUSales(ctx, pool, b.Tenant, day, day)
		return err
	})
}
