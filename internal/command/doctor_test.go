package command

import (
	"bytes"
	"encoding/json"
	"net"
	"net/url"
	"strings"
	"testing"

	"onlyonce/internal/app/apptest"
	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
)

// states returns the doctor's findings by check. If a check has several findings, the last one counts.
func (b *bundle) states(code int, env map[string]string) map[string]string {
	b.Helper()
	var stdout, stderr bytes.Buffer
	got := run(b.Context(), []string{"doctor", "--json"}, b.environ(pairs(env)...), strings.NewReader(""), &stdout, &stderr, apptest.Site())
	if got != code {
		b.Errorf("code %d, want %d: %s%s", got, code, stdout.String(), stderr.String())
	}
	var found []finding
	if err := json.Unmarshal(stdout.Bytes(), &found); err != nil {
		b.Fatalf("%v: %s", err, stdout.String())
	}
	states := map[string]string{}
	for _, f := range found {
		assert.Thatf(b, f.Detail != "", "%s says nothing", f.Check)
		states[f.Check] = f.State
	}
	return states
}

func TestDoctor(t *testing.T) {
	b := setup(t)
	for range 2 {
		states := b.states(done, map[string]string{"DEMO": "1"})
		for _, check := range []string{
			"settings", "database", "version", "role", "encoding", "isolation", "session", "pooler", "clock", "timeouts", "schema", "owner",
			"names", "rights", "catalog",
		} {
			assert.Thatf(t, states[check] == "ok", "%s: %q", check, states[check])
		}
	}
	spoiled := pgtest.New(t)
	spoiled.Spoil(t)
	must.Exec(t, spoiled.Pool, "DROP POLICY tenant_isolation ON customers")
	for name, c := range map[string]struct {
		code        int
		env         map[string]string
		check, want string
	}{
		"unusable setting": {failed, map[string]string{"ADDR": "x"}, "settings", "failed"},
		"one address":      {failed, map[string]string{"DEMO": "1", "METRICS_ADDR": "127.0.0.1:8080"}, "settings", "failed"},
		"no mail server":   {done, nil, "settings", "warning"},
		"two databases":    {done, map[string]string{"DATA_DIR": "x", "DEMO": "1"}, "settings", "warning"},
		"no policy":        {failed, map[string]string{"DATABASE_URL": spoiled.URL}, "catalog", "failed"},
		"superuser":        {failed, map[string]string{"DATABASE_URL": b.AdminURL}, "role", "failed"},
		"no database":      {failed, map[string]string{"DATABASE_URL": "postgres://a@127.0.0.1:1/a"}, "database", "failed"},
	} {
		got := b.states(c.code, c.env)[c.check]
		assert.Thatf(t, got == c.want, "%s: %s %q, want %q", name, c.check, got, c.want)
	}
	out := b.want(done, "", "doctor")
	assert.Thatf(t, strings.Contains(out, "ok       database") && strings.Contains(out, "  settings  "), "%s", out)
}

func TestHealth(t *testing.T) {
	b := setup(t)
	at, _ := b.serve()
	address := strings.TrimPrefix(at, "http://")
	_, port, err := net.SplitHostPort(address)
	must.OK(t, err)
	want := func(code int, addr, say string) {
		t.Helper()
		got, out, errors := ran(t, map[string]string{"ADDR": addr}, "health")
		assert.Thatf(t, got == code && strings.Contains(out+errors, say), "%s: code %d, want %d: %s%s", addr, got, code, out, errors)
	}
	for _, addr := range []string{address, ":" + port, "0.0.0.0:" + port} {
		want(done, addr, "ready")
	}
	want(failed, "127.0.0.1:1", "refused")
	b.Spoil(t)
	must.Exec(t, b.Pool, `DELETE FROM goose_db_version`)
	want(failed, address, "503")
}

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
			got := out.String() + log.String()
			assert.Thatf(t, strings.Contains(got, tt.want) && !strings.Contains(got, "secret"), "%s", got)
		})
	}
}
