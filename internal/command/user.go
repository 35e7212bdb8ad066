package command

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

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

// result prints the result of a change of a user.
func (p person) result(t *terminal, what, line string) error {
	return t.print(map[string]string{"email": p.Email.Folded(), "outcome": what}, fmt.Sprintf("User %s %s.", p.Email.Folded(), line))
}

type userPassword struct{ person }

// Run sets a password.
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

// Run disables a user.
func (c userDisable) Run(ctx context.Context, t *terminal) error {
	return c.set(ctx, t, true, "disabled", "cannot log in any more; every session has ended, and a link from before is worthless")
}

type userEnable struct{ person }

// Run enables a user.
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
