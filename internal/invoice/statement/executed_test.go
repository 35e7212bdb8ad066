package statement_test

import (
	"context"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/invoice/statement"
	"onlyonce/internal/record"
)

// TestExecutedSQL compares testdata with the statements that PostgreSQL executes.
func TestExecutedSQL(t *testing.T) {
	s := setup(t)
	inv := s.Issued("i")
	of := statement.Account{
		Customer: inv.Customer.ID, Currency: inv.Currency, First: parsed(t, "2026-10-01"), Last: parsed(t, "2026-12-31"),
	}
	sql := s.Executed()
	sql.Lookup("currencies of an account", func(ctx context.Context, pool *pgxpool.Pool) error {
		_, err := statement.Currencies(ctx, pool, s.Tenant, of.Customer)
		return err
	})
	entries := func(ctx context.Context, pool *pgxpool.Pool, tenant uuid.UUID, page record.Page) (record.List[statement.Entry], error) {
		found, err := statement.Of(ctx, pool, tenant, of, page)
		return found.Entries, err
	}
	s.OK(s.Pay("pay", inv, "1.00"))
	s.OK(s.Pay("again", inv, "2.00"))
	storetest.Pages(sql, "entries of an account", entries)
}
