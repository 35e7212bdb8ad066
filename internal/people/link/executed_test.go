package link_test

import (
	"context"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/people/link"
)

// TestExecutedSQL compares testdata with the statements that PostgreSQL executes.
func TestExecutedSQL(t *testing.T) {
	b := setup(t)
	sql := b.Executed()
	sql.Section("forgot", "link for a user who forgot the password", func() error {
		return link.Forgot(t.Context(), sql.Pool, seed(t, 1), "ada@example.com")
	})
	sql.Lookup("last email with a link", func(ctx context.Context, pool *pgxpool.Pool) error {
		_, _, err := link.Last(ctx, pool, b.Tenant, b.ada.ID, uuid.Nil)
		return err
	})
	sql.Section("expire", "old emails", func() error { return link.Expire(t.Context(), sql.Pool, b.Tenant) })
}
