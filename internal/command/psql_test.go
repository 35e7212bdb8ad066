package command

import (
	"bytes"
	"net/url"
	"strings"
	"testing"

	"onlyonce/internal/app/apptest"
	"onlyonce/internal/must"
)

// TestPSQLCommand checks that psql is the app's role, in one tenant, only reads unless asked, and has no password among its arguments.
func TestPSQLCommand(t *testing.T) {
	b := setup(t)
	ids := map[string]any{}
	for _, name := range []string{"Acme", "Globex"} {
		ids[name] = b.object(done, "", "tenant", "create", name)["id"]
		must.Exec(t, b.Admin(), `
			INSERT INTO customers (tenant_id, id, email, name) VALUES ($1, new_id(now()), 'ada@example.com', 'Ada of ' || $2::text)`,
			ids[name], name)
	}
	must.Exec(t, b.Admin(), `INSERT INTO tenants (id, name, demo) VALUES (new_id(now()), 'The demo', true)`)
	at, err := url.Parse(b.URL)
	must.OK(t, err)
	role := at.User.Username()
	at.User = url.UserPassword(role, "my secret")
	query := at.Query()
	query.Set("pool_max_conns", "3")
	query.Set("options", "-c work_mem=5MB")
	at.RawQuery = strings.ReplaceAll(query.Encode(), "+", "%20")
	for _, tt := range []struct{ name, args, in, want string }{
		{"the role and the tenant", "acme", `SELECT current_user, name FROM customers;`, role + "|Ada of Acme"},
		{"another tenant", "globex", `SELECT name FROM customers;`, "Ada of Globex"},
		{"the options of the URL", "acme", `SHOW work_mem;`, "5MB"},
		{"a change", "acme", `UPDATE settings SET name = 'x';`, "read-only transaction"},
		{"a change that was asked for", "acme --write", `UPDATE settings SET name = 'x';`, "UPDATE 1"},
		{"another's row", "acme --write", `UPDATE customers SET name = 'x' WHERE name = 'Ada of Globex';`, "UPDATE 0"},
		{"the arguments", "acme", `\! tr '\0' ' ' < /proc/$PPID/cmdline`, "psql postgres"},
		{"an error", "acme", `SELECT 1 / 0;`, "division by zero"},
		{"a tenant of the demo", "the-demo", `SELECT count(*) FROM customers;`, "0"},
		{"no such tenant", "initech", ``, "tenant"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out, log bytes.Buffer
			args := append([]string{"psql", "--tenant"}, strings.Fields(tt.args)...)
			args[2] = strings.ReplaceAll(args[2], "-", " ")
			run(t.Context(), args, []string{"DATABASE_URL=" + at.String(), "PGSERVICE=nowhere"},
				strings.NewReader("\\pset format unaligned\n\\pset tuples_only on\n"+tt.in), &out, &log, apptest.Site())
			if got := out.String() + log.String(); !strings.Contains(got, tt.want) || strings.Contains(got, "secret") {
				t.Errorf("%s", got)
			}
		})
	}
}
