package settings_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/must"
	"onlyonce/internal/people/settings"
	"onlyonce/internal/postgres/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// TestExecutedSQL compares testdata with the statements that PostgreSQL executes.
func TestExecutedSQL(t *testing.T) {
	b := storetest.Setup(t)
	sql := b.Executed()
	d, err := settings.Input{Name: "Acme", Currency: "EUR", PaymentDays: "30"}.Draft()
	must.OK(t, err)
	storetest.Execute(sql, "", settings.Edit, b.Tenant, 1, d)
	sql.Lookup("settings", func(ctx context.Context, pool *pgxpool.Pool) error {
		_, err := settings.Of(ctx, pool, b.Tenant)
		return err
	})
}
