package command

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/people/account"
)

type ofTenant struct {
	Tenant string `required:"" help:"Name or id of the tenant." placeholder:"NAME"`
}

// with calls work for the tenant.
func (o ofTenant) with(ctx context.Context, t *terminal, work func(context.Context, *pgxpool.Pool, account.Tenant) error) error {
	return t.withPool(ctx, func(ctx context.Context, pool *pgxpool.Pool) error {
		tenant, err := findTenant(ctx, pool, o.Tenant)
		if err != nil {
			return err
		}
		return work(ctx, pool, tenant)
	})
}

type tokenCreate struct {
	Name string `arg:"" help:"Name of the token, such as that of the program that will use it."`
	ofTenant

	Role    account.Role `enum:",member,read-only" default:"" help:"Member, or that of the token which is replaced." placeholder:"ROLE"`
	Replace bool         `help:"If there is one of this name, revoke it and make another."`
}

// Run creates a token. Only the token goes to stdout, for scripts.
func (c tokenCreate) Run(ctx context.Context, t *terminal) error {
	return c.with(ctx, t, func(ctx context.Context, pool *pgxpool.Pool, tenant account.Tenant) error {
		secret, replaced, err := account.CreateToken(ctx, pool, tenant.ID, c.Name, c.Role, c.Replace)
		result := map[string]string{"name": c.Name, "tenant_id": tenant.ID.String(), "outcome": "created"}
		switch {
		case errors.Is(err, account.ErrExists):
			result["outcome"] = "unchanged"
			if t.json {
				err = errors.Join(t.print(result, ""), err)
			}
			return fmt.Errorf("token %q of %q: %w, whose secret cannot be shown again: --replace revokes it and makes another",
				c.Name, tenant.Name, err)
		case err != nil:
			return err
		case replaced:
			result["outcome"] = "replaced"
		}
		t.say("keep this token now: it cannot be shown again")
		result["token"] = secret
		return t.print(result, secret)
	})
}

type tokenList struct {
	ofTenant

	After string `help:"Begin after the token of this name." placeholder:"NAME"`
}

// Run lists tokens.
func (c tokenList) Run(ctx context.Context, t *terminal) error {
	return c.with(ctx, t, func(ctx context.Context, pool *pgxpool.Pool, tenant account.Tenant) error {
		tokens, err := account.ListTokens(ctx, pool, tenant.ID, c.After)
		if err != nil {
			return err
		}
		lines := make([]string, len(tokens))
		for i, token := range tokens {
			lines[i] = fmt.Sprintf("%s  %-9s  %s", token.CreatedAt.UTC().Format(time.DateTime), token.Role, token.Name)
		}
		if len(tokens) == account.MaxList {
			t.say(fmt.Sprintf("there may be more: --after %q", tokens[len(tokens)-1].Name))
		}
		return t.printAll(tokens, lines)
	})
}

type tokenRevoke struct {
	Name string `arg:"" help:"Name of the token."`
	ofTenant
}

// Run revokes a token.
func (c tokenRevoke) Run(ctx context.Context, t *terminal) error {
	return c.with(ctx, t, func(ctx context.Context, pool *pgxpool.Pool, tenant account.Tenant) error {
		changed, err := account.RevokeToken(ctx, pool, tenant.ID, c.Name)
		if err != nil {
			return fmt.Errorf("token %q of %q: %w", c.Name, tenant.Name, err)
		}
		return t.print(map[string]string{"name": c.Name, "tenant_id": tenant.ID.String(), "outcome": outcome(changed, "revoked")},
			fmt.Sprintf("Token %q is revoked, and stops working within five seconds.", c.Name))
	})
}
