package command

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os/exec"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"onlyonce/internal/people/account"
)

type psql struct {
	ofTenant

	Write bool `help:"Allow changes. Only operations have idempotency keys: what is inserted here twice is there twice."`
}

// Run runs psql as the app's role, with the rows of a tenant. It takes over the input and output of this program, until it ends.
func (c psql) Run(ctx context.Context, t *terminal) error {
	program, err := exec.LookPath("psql")
	if err != nil {
		return fmt.Errorf("%w: apt install postgresql-client, or brew install libpq", err)
	}
	return t.withPool(ctx, func(ctx context.Context, pool *pgxpool.Pool) error {
		tenant, err := findAnyTenant(ctx, pool, c.Tenant)
		if err != nil {
			return err
		}
		address, env, err := forPSQL(pool.Config().ConnString())
		if err != nil {
			return err
		}
		options, mode := " -c onlyonce.tenant_id="+tenant.ID.String(), "read-write"
		if !c.Write {
			options, mode = options+" -c default_transaction_read_only=on", "read-only"
		}
		env["PGOPTIONS"] += options
		t.say(fmt.Sprintf("psql in tenant %q, %s", tenant.Name, mode))
		cmd := exec.CommandContext(context.WithoutCancel(ctx), program, address) // Ctrl-C ends a query, not the session
		cmd.Env = slices.DeleteFunc(slices.Clone(t.environ), func(pair string) bool { return strings.HasPrefix(pair, "PG") })
		for name, value := range env {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
		cmd.Stdin, cmd.Stdout, cmd.Stderr = t.stdin, t.stdout, t.stderr
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("psql: %w", err)
		}
		return nil
	})
}

// findAnyTenant returns a tenant, which may be one of the demo.
func findAnyTenant(ctx context.Context, pool *pgxpool.Pool, nameOrID string) (account.Tenant, error) {
	tenant, notFound := findTenant(ctx, pool, nameOrID)
	if !errors.Is(notFound, account.ErrNotFound) {
		return tenant, notFound
	}
	all, err := account.ListTenants(ctx, pool, uuid.Nil)
	if err != nil {
		return account.Tenant{}, err
	}
	for _, tenant := range all {
		if tenant.Demo && (strings.EqualFold(tenant.Name, nameOrID) || tenant.ID.String() == nameOrID) {
			return tenant, nil
		}
	}
	return account.Tenant{}, notFound
}

// forPSQL returns the address of a database for psql, and its environment variables PGPASSWORD and PGOPTIONS. The address has no password,
// because all users of a machine can read the arguments of a program.
func forPSQL(databaseURL string) (address string, env map[string]string, err error) {
	u, err := url.Parse(databaseURL)
	if err != nil || !strings.HasPrefix(u.Scheme, "postgres") {
		return "", nil, errors.New("DATABASE_URL must be a URL, such as postgres://app@db.example.com/app")
	}
	env = map[string]string{}
	query := u.Query()
	for name := range query {
		switch {
		case name == "password":
			env["PGPASSWORD"] = query.Get(name)
		case name == "options":
			env["PGOPTIONS"] = query.Get(name)
		case strings.HasPrefix(name, "pool_"), strings.HasSuffix(name, "_cache_capacity"), name == "default_query_exec_mode": // of pgx
		default:
			continue
		}
		query.Del(name)
	}
	if password, ok := u.User.Password(); ok {
		env["PGPASSWORD"] = password
		u.User = url.User(u.User.Username())
	}
	u.RawQuery = strings.ReplaceAll(query.Encode(), "+", "%20") // libpq does not read + as a space
	return u.String(), env, nil
}
