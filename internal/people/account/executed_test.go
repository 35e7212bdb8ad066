package account_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/people/account"
)

// TestExecutedSQL compares testdata with the statements that PostgreSQL executes.
func TestExecutedSQL(t *testing.T) {
	b := setup(t)
	sql := b.Executed(t)
	who := account.Principal{Tenant: b.tenant, User: b.tenant, Generation: 1}
	for _, c := range []struct {
		file, name string
		work       func(context.Context, *pgxpool.Pool) error
	}{
		{"find", "login", func(ctx context.Context, pool *pgxpool.Pool) (err error) {
			who, err = account.LogIn(ctx, pool, "ada@example.com", password)
			return err
		}},
		{"find", "user of a session", func(ctx context.Context, pool *pgxpool.Pool) error {
			_, err := account.InSession(ctx, pool, who)
			return err
		}},
		{"find", "token by its secret", func(ctx context.Context, pool *pgxpool.Pool) error {
			_, err := account.FindToken(ctx, pool, "valid")
			return err
		}},
		{"find", "whether a secret is of a token", func(ctx context.Context, pool *pgxpool.Pool) error {
			_, err := account.HasToken(ctx, pool, b.tenant, uuid.Nil, "valid")
			return err
		}},
		{"find", "whether a user may change records", func(ctx context.Context, pool *pgxpool.Pool) error {
			_, err := account.MayChange(ctx, pool, b.tenant, "ada@example.com")
			return err
		}},
		{"find", "whether a token may change records", func(ctx context.Context, pool *pgxpool.Pool) error {
			_, err := account.MayChange(ctx, pool, b.tenant, "token sync")
			return err
		}},
		{"find", "user by email", func(ctx context.Context, pool *pgxpool.Pool) error {
			_, err := account.FindUser(ctx, pool, "ada@example.com")
			return err
		}},
		{"find", "whether there are users", func(ctx context.Context, pool *pgxpool.Pool) error {
			_, err := account.AnyUser(ctx, pool)
			return err
		}},
		{"find", "tenant by name", func(ctx context.Context, pool *pgxpool.Pool) error {
			_, err := account.FindTenant(ctx, pool, "Acme")
			return err
		}},
		{"list", "ids of tenants", func(ctx context.Context, pool *pgxpool.Pool) error {
			_, err := account.Tenants(ctx, pool)
			return err
		}},
		{"list", "tenants", func(ctx context.Context, pool *pgxpool.Pool) error {
			_, err := account.ListTenants(ctx, pool, uuid.Nil)
			return err
		}},
		{"list", "tokens", func(ctx context.Context, pool *pgxpool.Pool) error {
			_, err := account.ListTokens(ctx, pool, b.tenant, "")
			return err
		}},
		{"list", "sessions of a user", func(ctx context.Context, pool *pgxpool.Pool) error {
			_, _, err := account.ListSessions(ctx, pool, who, uuid.Nil, time.Now())
			return err
		}},
		{"change", "end a session", func(ctx context.Context, pool *pgxpool.Pool) error {
			return account.EndSession(ctx, pool, who, uuid.Nil)
		}},
		{"change", "end the other sessions", func(ctx context.Context, pool *pgxpool.Pool) error {
			return account.EndOtherSessions(ctx, pool, who, uuid.Nil)
		}},
		{"change", "make an admin", func(ctx context.Context, pool *pgxpool.Pool) error {
			_, err := account.SetAdmin(ctx, pool, "ada@example.com", true)
			return err
		}},
		{"change", "create a token", func(ctx context.Context, pool *pgxpool.Pool) error {
			_, _, err := account.CreateToken(ctx, pool, b.tenant, "export", account.Member, false)
			return err
		}},
		{"change", "replace a token", func(ctx context.Context, pool *pgxpool.Pool) error {
			_, _, err := account.CreateToken(ctx, pool, b.tenant, "export", account.Member, true)
			return err
		}},
		{"change", "revoke a token", func(ctx context.Context, pool *pgxpool.Pool) error {
			_, err := account.RevokeToken(ctx, pool, b.tenant, "export")
			return err
		}},
	} {
		sql.Section(c.file, c.name, func() error { return c.work(t.Context(), sql.Pool) })
	}
}
