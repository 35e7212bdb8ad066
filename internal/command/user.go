package command

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/term"

	"onlyonce/internal/invalid"
	"onlyonce/internal/people/account"
	"onlyonce/internal/value/email"
)

type userCreate struct {
	Email  email.Address `arg:"" help:"Email of the user, to log in with."`
	Tenant string        `required:"" help:"Name or id of the tenant." placeholder:"NAME"`
	Role   string        `enum:",owner,member,read-only" default:"" help:"owner, member or read-only; first: owner." placeholder:"ROLE"`
}

// Run creates a user. It asks for a password only if there is no such user.
func (c userCreate) Run(ctx context.Context, t *terminal) error {
	return t.withPool(ctx, func(ctx context.Context, pool *pgxpool.Pool) error {
		tenant, err := findTenant(ctx, pool, c.Tenant)
		if err != nil {
			return err
		}
		user, err := account.FindUser(ctx, pool, c.Email)
		created := false
		switch {
		case errors.Is(err, account.ErrNotFound):
			var password string
			if password, err = t.readPassword(); err == nil {
				user, created, err = account.CreateUser(ctx, pool, tenant.ID, c.Email, password, c.Role)
			}
		case err == nil && user.Tenant != tenant.ID:
			err = account.ErrTaken
		}
		if err != nil {
			return fmt.Errorf("user %s: %w", c.Email, err)
		}
		line := "is there already, and password and role stay as they are"
		switch {
		case created:
			line = "was created"
		case user.Disabled:
			line = "is there already, and is disabled"
		}
		return t.print(struct {
			account.User

			Outcome string `json:"outcome"`
		}{user, outcome(created, "created")}, fmt.Sprintf("User %s %s.", user.Email, line))
	})
}

// person is an existing user.
type person struct {
	Email email.Address `arg:"" help:"Email of the user."`
}

func (p person) result(t *terminal, what, line string) error {
	return t.print(map[string]string{"email": p.Email.Folded(), "outcome": what}, fmt.Sprintf("User %s %s.", p.Email.Folded(), line))
}

type userPassword struct{ person }

func (c userPassword) Run(ctx context.Context, t *terminal) error {
	return t.withPool(ctx, func(ctx context.Context, pool *pgxpool.Pool) error {
		_, err := account.FindUser(ctx, pool, c.Email)
		var password string
		if err == nil {
			password, err = t.readPassword()
		}
		if err == nil {
			err = account.SetPassword(ctx, pool, c.Email, password)
		}
		if err != nil {
			return fmt.Errorf("user %s: %w", c.Email, err)
		}
		return c.result(t, "changed", "has the new password; every session has ended, and a link from before is worthless")
	})
}

type userDisable struct{ person }

func (c userDisable) Run(ctx context.Context, t *terminal) error {
	return c.set(ctx, t, true, "disabled", "cannot log in any more; every session has ended, and a link from before is worthless")
}

type userEnable struct{ person }

func (c userEnable) Run(ctx context.Context, t *terminal) error {
	return c.set(ctx, t, false, "enabled", "can log in")
}

type userAdmin struct {
	person

	Revoke bool `help:"Take the right away."`
}

// Run makes a user an admin of the installation, or takes the right away.
func (c userAdmin) Run(ctx context.Context, t *terminal) error {
	return t.withPool(ctx, func(ctx context.Context, pool *pgxpool.Pool) error {
		changed, err := account.SetAdmin(ctx, pool, c.Email, !c.Revoke)
		if err != nil {
			return fmt.Errorf("user %s: %w", c.Email, err)
		}
		what, line := "granted", "is an admin of the installation, until the email or the password changes"
		if c.Revoke {
			what, line = "revoked", "is no admin of the installation"
		}
		return c.result(t, outcome(changed, what), line)
	})
}

func (p person) set(ctx context.Context, t *terminal, disabled bool, what, line string) error {
	return t.withPool(ctx, func(ctx context.Context, pool *pgxpool.Pool) error {
		changed, err := account.SetDisabled(ctx, pool, p.Email, disabled)
		if err != nil {
			return fmt.Errorf("user %s: %w", p.Email, err)
		}
		return p.result(t, outcome(changed, what), line)
	})
}

// readPassword reads a line from stdin; from a terminal twice, without echo.
func (t *terminal) readPassword() (string, error) {
	if file, ok := t.stdin.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		return t.askPassword(int(file.Fd()))
	}
	// The limit is one byte more than a password may have, and the end of the line, so that a password that is too long is
	// refused.
	line, err := bufio.NewReader(io.LimitReader(t.stdin, account.MaxPassword+3)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read the password from stdin: %w", err)
	}
	return strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r"), nil
}

func (t *terminal) askPassword(terminal int) (string, error) {
	ask := func(prompt string) (string, error) {
		fmt.Fprint(t.stderr, prompt)
		typed, err := term.ReadPassword(terminal)
		fmt.Fprintln(t.stderr)
		if err != nil {
			return "", fmt.Errorf("read the password: %w", err)
		}
		return string(typed), nil
	}
	password, err := ask(fmt.Sprintf("Password (at least %d characters, not shown): ", account.MinPassword))
	if err != nil {
		return "", err
	}
	again, err := ask("The same again: ")
	if err == nil && again != password {
		err = &invalid.Error{Fields: []invalid.Field{{Pointer: "/password", Message: "The two passwords differ: run the command again."}}}
	}
	return password, err
}

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

func findTenant(ctx context.Context, pool *pgxpool.Pool, nameOrID string) (account.Tenant, error) {
	tenant, err := account.FindTenant(ctx, pool, nameOrID)
	if err != nil {
		return account.Tenant{}, fmt.Errorf("tenant %q: %w", nameOrID, err)
	}
	return tenant, nil
}

type ofTenant struct {
	Tenant string `required:"" help:"Name or id of the tenant." placeholder:"NAME"`
}

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

func (c tokenList) Run(ctx context.Context, t *terminal) error {
	return c.with(ctx, t, func(ctx context.Context, pool *pgxpool.Pool, tenant account.Tenant) error {
		tokens, err := account.ListTokens(ctx, pool, tenant.ID, c.After)
		if err != nil {
			return err
		}
		lines := make([]string, len(tokens))
		for i, token := range tokens {
			lines[i] = fmt.Sprintf("%s  %-9s  %s", token.CreatedAt.UTC().Format(time.DateTime), token.Role, token.Name)
			if ends := token.ExpiresAt; ends != nil && !time.Now().Before(*ends) {
				lines[i] += "  expired on " + ends.UTC().Format(time.DateTime)
			}
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
