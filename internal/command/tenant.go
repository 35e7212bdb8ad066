package command

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/people/account"
)

// outcome returns yes, or "unchanged".
func outcome(changed bool, yes string) string {
	if changed {
		return yes
	}
	return "unchanged"
}

type tenantCreate struct {
	Name string `arg:"" help:"Name of the business. Capitals, width and accents make no other one."`
}

// Run creates a tenant.
func (c tenantCreate) Run(ctx context.Context, t *terminal) error {
	return t.withPool(ctx, func(ctx context.Context, pool *pgxpool.Pool) error {
		tenant, created, err := account.CreateTenant(ctx, pool, c.Name)
		if err != nil {
			return err
		}
		line := "is there already"
		if created {
			line = "was created"
		}
		return t.print(struct {
			account.Tenant

			Outcome string `json:"outcome"`
		}{tenant, outcome(created, "created")}, fmt.Sprintf("Tenant %q %s: %s", tenant.Name, line, tenant.ID))
	})
}

type tenantList struct {
	After uuid.UUID `help:"Begin after the tenant with this id." placeholder:"ID"`
}

// Run lists tenants.
func (c tenantList) Run(ctx context.Context, t *terminal) error {
	return t.withPool(ctx, func(ctx context.Context, pool *pgxpool.Pool) error {
		tenants, err := account.ListTenants(ctx, pool, c.After)
		if err != nil {
			return err
		}
		lines := make([]string, len(tenants))
		for i, tenant := range tenants {
			lines[i] = tenant.ID.String() + "  " + tenant.Name
			if tenant.Demo {
				lines[i] += " (demo)"
			}
		}
		if len(tenants) == account.MaxList {
			t.say("there may be more: --after " + tenants[len(tenants)-1].ID.String())
		}
		return t.printAll(tenants, lines)
	})
}

// findTenant returns the tenant of --tenant.
func findTenant(ctx context.Context, pool *pgxpool.Pool, nameOrID string) (account.Tenant, error) {
	tenant, err := account.FindTenant(ctx, pool, nameOrID)
	if err != nil {
		return account.Tenant{}, fmt.Errorf("tenant %q: %w", nameOrID, err)
	}
	return tenant, nil
}
