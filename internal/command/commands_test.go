package command

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"onlyonce/internal/app/apptest"
	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/internal/people/account"
	"onlyonce/internal/postgres/pgtest"
)

// asProgram, when set, turns the test binary into the program, for tests that kill it or choose its PATH.
const asProgram = "ONLYONCE_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		Main(apptest.Site())
	}
	pgtest.Main(m)
}

const password = "correct horse battery staple"

type bundle struct {
	*testing.T
	*pgtest.Database
}

func setup(t *testing.T) *bundle {
	t.Helper()
	t.Parallel()
	return &bundle{t, pgtest.New(t)}
}

// environ returns an environment with the database, after first: the first value of a variable counts.
func (b *bundle) environ(first ...string) []string { return append(first, "DATABASE_URL="+b.URL) }

// run returns the output of a command, and fails if it has the password on stdin.
func (b *bundle) run(stdin string, args ...string) (code int, out, errors string) {
	b.Helper()
	var stdout, stderr bytes.Buffer
	code = run(b.Context(), args, b.environ(), strings.NewReader(stdin), &stdout, &stderr, apptest.Site())
	if typed := strings.TrimSpace(stdin); len(typed) >= account.MinPassword && strings.Contains(stdout.String()+stderr.String(), typed) {
		b.Errorf("%q shows the password: %s%s", args, stdout.String(), stderr.String())
	}
	return code, stdout.String(), stderr.String()
}

// want runs a command that must end with a code, and returns its output.
func (b *bundle) want(code int, stdin string, args ...string) (out string) {
	b.Helper()
	got, out, errors := b.run(stdin, args...)
	assert.Thatf(b, got == code && ((code != done) == strings.Contains(errors, program+":") || strings.Contains(errors, "keep this token")),
		"%q: code %d, want %d: %s%s", args, got, code, out, errors)
	return out
}

// object runs a command that must end with a code, and returns the JSON of its output.
func (b *bundle) object(code int, stdin string, args ...string) (object map[string]any) {
	b.Helper()
	out := b.want(code, stdin, append(args, "--json")...)
	assert.Thatf(b, json.Unmarshal([]byte(out), &object) == nil, "%q: no JSON object: %s", args, out)
	return object
}

// outcome is object for a command that prints this outcome.
func (b *bundle) outcome(want string, code int, stdin string, args ...string) {
	b.Helper()
	object := b.object(code, stdin, args...)
	assert.Thatf(b, object["outcome"] == want, "%q: %v, want %s", args, object, want)
}

func TestTenantCommands(t *testing.T) {
	b := setup(t)
	first := b.object(done, "", "tenant", "create", "  Café  Zürich ")
	assert.Thatf(t, first["outcome"] == "created" && first["name"] == "Café Zürich", "%v", first)
	for _, name := range []string{"Café Zürich", "CAFE ZURICH", first["id"].(string)} {
		if name == first["id"] {
			b.want(misused, "", "tenant", "create", name) // ambiguous, because --tenant also takes an id
			continue
		}
		again := b.object(done, "", "tenant", "create", name)
		assert.Thatf(t, again["outcome"] == "unchanged" && again["id"] == first["id"], "%q: %v", name, again)
	}
	for _, name := range []string{"", " ", "a\u202eb", strings.Repeat("x", 101)} {
		b.want(misused, "", "tenant", "create", name)
	}
	if list := b.want(done, "", "tenant", "list"); list != first["id"].(string)+"  Café Zürich\n" {
		t.Errorf("%q", list)
	}
	if list := b.want(done, "", "tenant", "list", "--json", "--after", first["id"].(string)); list != "[]\n" {
		t.Errorf("%q", list)
	}
}

// TestOneNameAtOnce: the second command gets the first one's tenant, user and refusal.
func TestOneNameAtOnce(t *testing.T) {
	b := setup(t)
	const at = 8
	together := func(args ...string) (outs map[string]int) {
		t.Helper()
		var all errgroup.Group
		outs = map[string]int{}
		results := make(chan string, at)
		gate := make(chan struct{})
		for range at {
			all.Go(func() error {
				<-gate
				var stdout, stderr bytes.Buffer
				code := run(t.Context(), args, b.environ(), strings.NewReader(password), &stdout, &stderr, apptest.Site())
				out := regexp.MustCompile(`"token":"[^"]+"`).ReplaceAllString(stdout.String(), `"token":"…"`)
				results <- string(rune('0'+code)) + " " + out
				return nil
			})
		}
		close(gate)
		_ = all.Wait()
		close(results)
		for out := range results {
			outs[out]++
		}
		return outs
	}
	for _, args := range [][]string{
		{"tenant", "create", "Acme", "--json"},
		{"user", "create", "ada@example.com", "--tenant", "Acme", "--json"},
		{"token", "create", "sync", "--tenant", "Acme", "--json"},
	} {
		outs := together(args...)
		created := 0
		for out, n := range outs {
			if strings.Contains(out, `"created"`) {
				created += n
			}
		}
		assert.Thatf(t, len(outs) == 2 && created == 1, "%q: %v", args, outs)
	}
	// Each command with --replace creates a token, and the last one remains.
	for out := range maps.Keys(together("token", "create", "sync", "--tenant", "Acme", "--replace", "--json")) {
		assert.Thatf(t, strings.HasPrefix(out, "0 ") && strings.Contains(out, `"replaced"`), "%v", out)
	}
	var left int
	err := b.Pool.QueryRow(t.Context(), `SELECT count(*) FROM api_tokens WHERE revoked_at IS NULL`).Scan(&left)
	assert.Thatf(t, err == nil && left == 1, "%d tokens are left, %v", left, err)
}

func TestUserCommands(t *testing.T) {
	b := setup(t)
	b.want(done, "", "tenant", "create", "Acme")
	b.want(done, "", "tenant", "create", "Globex")
	create := []string{"user", "create", "Ada@example.com", "--tenant", "acme"}
	for _, wrong := range []string{"", "short", "short\n" + password, strings.Repeat("x", account.MaxPassword+1)} {
		b.want(misused, wrong, create...)
	}
	b.want(misused, password, "user", "create", "ada", "--tenant", "Acme")
	b.want(notFound, password, "user", "create", "ada@example.com", "--tenant", "Initech")
	if user := b.object(done, password+"\r\n", create...); user["outcome"] != "created" || user["email"] != "ada@example.com" ||
		user["role"] != "owner" {
		t.Errorf("%v", user)
	}
	b.want(failed, "", "user", "disable", "ada@example.com") // the last owner
	for email, role := range map[string]string{"member@example.com": "", "grace@example.com": "owner"} {
		user := b.object(done, password, "user", "create", email, "--tenant", "acme", "--role", role)
		want := cmp.Or(role, "member")
		assert.Thatf(t, user["role"] == want, "%s: %v, want %s", email, user, want)
	}
	b.want(misused, password, "user", "create", "x@example.com", "--tenant", "acme", "--role", "king")
	b.outcome("unchanged", done, "another password", create...)
	b.want(exists, password, "user", "create", "ada@example.com", "--tenant", "Globex")
	b.mayLogIn(password, true)

	for range 2 {
		b.invite("link")
		b.want(done, "another password\n", "user", "password", "ada@example.com")
		b.mayLogIn("another password", true)
		b.mayLogIn(password, false)
		b.isWorthless("link")
	}
	b.want(misused, "short", "user", "password", "ada@example.com")
	b.invite("link")
	for _, want := range []string{"disabled", "unchanged"} {
		b.outcome(want, done, "", "user", "disable", "ADA@example.com")
		b.mayLogIn("another password", false)
	}
	for _, want := range []string{"enabled", "unchanged"} {
		b.outcome(want, done, "", "user", "enable", "ada@example.com")
		b.mayLogIn("another password", true)
	}
	b.isWorthless("link")
	b.Spoil(t) // for a moment, the command grants itself the right
	for _, c := range []struct {
		flags []string
		want  string
	}{
		{[]string{"--revoke"}, "unchanged"}, {nil, "granted"}, {nil, "unchanged"}, {[]string{"--revoke"}, "revoked"},
	} {
		b.outcome(c.want, done, "", append([]string{"user", "admin", "Ada@example.com"}, c.flags...)...)
	}
	for _, what := range []string{"password", "disable", "enable", "admin"} {
		b.want(notFound, password, "user", what, "nobody@example.com")
	}
}

// invite adds a link to choose a password to Ada's row.
func (b *bundle) invite(link string) {
	b.Helper()
	must.Exec(b, b.Pool, `
		UPDATE users SET link_id = gen_random_uuid(), link_hash = $1, link_expires_at = now() + interval '1 hour', link_used_at = NULL
		WHERE email = 'ada@example.com'`, account.HashToken(link))
}

func (b *bundle) isWorthless(link string) {
	b.Helper()
	_, err := account.UseLink(b.Context(), b.Pool, link, "chosen with the link")
	assert.Thatf(b, errors.Is(err, account.ErrUnknown), "a link from before: %v", err)
}

func (b *bundle) mayLogIn(password string, want bool) {
	b.Helper()
	_, err := account.LogIn(b.Context(), b.Pool, "ada@example.com", password)
	assert.Thatf(b, (err == nil) == want, "logs in: %v, want %v", err, want)
}

func TestTokenCommands(t *testing.T) {
	b := setup(t)
	b.want(done, "", "tenant", "create", "Acme")
	works := func(token string, want bool) {
		t.Helper()
		_, err := account.FindToken(t.Context(), b.Pool, strings.TrimSpace(token))
		assert.Thatf(t, (err == nil) == want, "%q works: %v, want %v", token, err, want)
	}
	create := []string{"token", "create", "sync", "--tenant", "Acme"}
	b.want(notFound, "", "token", "create", "sync", "--tenant", "Initech")
	first := b.want(done, "", create...)
	assert.Thatf(t, regexp.MustCompile(`^oo_[\w-]{43}\n$`).MatchString(first), "%q", first)
	works(first, true)
	again := b.object(exists, "", create...)
	assert.Thatf(t, again["outcome"] == "unchanged" && again["token"] == nil, "%v", again)
	works(first, true)
	second := b.object(done, "", append(create, "--replace")...)
	assert.Thatf(t, second["outcome"] == "replaced", "%v", second)
	works(first, false)
	works(second["token"].(string), true)
	// Replacing a token keeps its role, unless another one is given.
	for _, c := range []struct{ role, want string }{{"read-only", "read-only"}, {"", "read-only"}, {"member", "member"}, {"", "member"}} {
		token := b.want(done, "", append(create, "--replace", "--role", c.role)...)
		who, err := account.FindToken(t.Context(), b.Pool, strings.TrimSpace(token))
		assert.Thatf(t, err == nil && string(who.Role) == c.want, "with --role %q: %q, %v", c.role, who.Role, err)
	}
	b.want(misused, "", append(create, "--role", "owner")...)
	list := b.want(done, "", "token", "list", "--tenant", "Acme")
	assert.Thatf(t, strings.HasSuffix(list, "  sync\n") && strings.Count(list, "\n") == 1, "%q", list)
	must.Exec(t, b.Pool, `UPDATE api_tokens SET expires_at = '2026-01-02 03:04:05Z' WHERE name = 'sync' AND revoked_at IS NULL`)
	list = b.want(done, "", "token", "list", "--tenant", "Acme")
	assert.Thatf(t, strings.HasSuffix(list, "  sync  expired on 2026-01-02 03:04:05\n"), "%q", list)
	must.Exec(t, b.Pool, `UPDATE api_tokens SET expires_at = NULL`)
	for _, want := range []string{"revoked", "unchanged"} {
		b.outcome(want, done, "", "token", "revoke", "sync", "--tenant", "Acme")
	}
	works(second["token"].(string), false)
	b.want(notFound, "", "token", "revoke", "other", "--tenant", "Acme")
	b.outcome("created", done, "", create...)
}

// TestTheDemoIsLeftAlone: its passwords are public, so commands must not use it as a real tenant.
func TestTheDemoIsLeftAlone(t *testing.T) {
	b := setup(t)
	must.Exec(t, b.Pool, `
		WITH tenant AS (INSERT INTO tenants (id, name, demo) VALUES (gen_random_uuid(), 'Demo', true) RETURNING id)
		INSERT INTO users (id, tenant_id, email, password_hash)
		SELECT gen_random_uuid(), id, 'demo@example.com', '' FROM tenant`)
	b.want(notFound, password, "user", "create", "ada@example.com", "--tenant", "Demo")
	b.want(notFound, password, "user", "password", "demo@example.com")
	b.want(notFound, "", "user", "disable", "demo@example.com")
	b.want(notFound, "", "user", "admin", "demo@example.com")
	b.outcome("created", done, "", "tenant", "create", "Demo")
	b.want(exists, password, "user", "create", "demo@example.com", "--tenant", "Demo")
}

func TestMigrateCommand(t *testing.T) {
	b := setup(t)
	b.Spoil(t)
	must.Exec(t, b.Pool, "DROP SCHEMA IF EXISTS public, river CASCADE")
	must.Exec(t, b.Pool, "CREATE SCHEMA public")
	_, _, errors := b.run("", "tenant", "create", "Acme")
	assert.Thatf(t, strings.Contains(errors, "migrate"), "%v", errors)
	for range 2 {
		out := b.want(done, "", "migrate")
		assert.Thatf(t, out == "The schema is that of this program.\n", "%v", out)
	}
	b.want(done, "", "tenant", "create", "Acme")
	must.Exec(t, b.Pool, "DROP POLICY tenant_isolation ON customers")
	if out := b.want(done, "", "migrate"); !strings.Contains(out, "\nthe policy tenant_isolation of customers is missing: tenants") {
		t.Error(out)
	}
	differences, _ := b.object(done, "", "migrate")["differences"].([]any)
	assert.Thatf(t, len(differences) == 1, "%v", differences)
}
