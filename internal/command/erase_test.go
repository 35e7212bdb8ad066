package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"

	"onlyonce/internal/assert"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/must"
	"onlyonce/internal/people/user"
	"onlyonce/internal/value/email"
)

// TestErasedUser runs the command of docs/gdpr.md after an owner has changed and disabled a user. Only the history of that user loses its
// values.
func TestErasedUser(t *testing.T) {
	b := setup(t)
	s := storetest.On(t, b.Database)
	var err error
	s.Tenant, err = uuid.Parse(b.object(done, "", "tenant", "create", "Acme Studio")["id"].(string))
	must.OK(t, err)
	of := func(name, role string) uuid.UUID {
		t.Helper()
		draft := user.Draft{Email: email.Address(name + "@example.com"), Name: name, Role: role}
		made, err := user.Create.Do(t.Context(), s.Store, s.Intent("create "+role), draft)
		must.OK(t, err)
		draft.Name += " King"
		s.OK(user.Edit.Do(t.Context(), s.Store, s.Of("edit "+role, made.Value.ID, 1), draft))
		return made.Value.ID
	}
	of("bob", "owner")
	erased := of("zqx", "member")
	former := user.Draft{Email: "former-7@example.com", Name: "Former", Role: "member"}
	s.OK(user.Edit.Do(t.Context(), s.Store, s.Of("former", erased, 2), former))
	s.OK(user.Disable.Do(t.Context(), s.Store, s.Of("disable", erased, 3), struct{}{}))
	left := func(text string) int {
		t.Helper()
		return storetest.Value[int](s, `
			SELECT count(*) FROM (SELECT concat(changes, result) FROM intents UNION ALL SELECT email || name FROM users) AS of (text)
			WHERE text LIKE '%' || $1 || '%'`, text)
	}
	if zqx, bob := left("zqx"), left("bob"); zqx != 3 || bob != 3 {
		t.Fatalf("before: %d and %d rows have the names", zqx, bob)
	}

	program, err := filepath.Abs(os.Args[0])
	must.OK(t, err)
	bin := t.TempDir()
	must.OK(t, os.Symlink(program, filepath.Join(bin, "onlyonce")))
	recipe := strings.NewReplacer("<id of the user>", erased.String(), "NAME", "'Acme Studio'").Replace(commandsBelow(t, "## Erase a user"))
	out := b.mustRun(b.shell()("export " + asProgram + "=1 PATH=" + bin + ":$PATH\n" + recipe))

	if zqx, bob := left("zqx"), left("bob"); zqx != 0 || bob != 3 {
		t.Errorf("%d rows have the name of the erased user, and %d that of another\n%s", zqx, bob, out)
	}
	n := storetest.Value[int](s, `SELECT count(*) FROM intents WHERE record_id = $1 AND actor <> ''`, erased)
	assert.Thatf(t, n == 4, "%d intents with who did them, want 4", n)
}

// TestDuplicatesCommand compares the command with the page, as text and as JSON.
func TestDuplicatesCommand(t *testing.T) {
	b := setup(t)
	tenant := b.object(done, "", "tenant", "create", "Acme")["id"]
	if out := b.want(done, "", "duplicates", "--tenant", "acme", "--json"); out != "[]\n" {
		t.Errorf("%q", out)
	}
	must.Exec(t, b.Admin(), `
		INSERT INTO customers (tenant_id, id, email, name)
		SELECT $1, new_id(now() + n * interval '1 ms'), 'ada+' || n || '@example.com', 'Ada ' || n FROM generate_series(1, 2) AS n`, tenant)
	out := b.want(done, "", "duplicates", "--tenant", "acme")
	lines := strings.Split(out, "\n")
	if len(lines) != 4 || lines[0] != "2 customers with the same email" || !strings.HasSuffix(lines[1], "Ada 1 <ada+1@example.com>") ||
		!strings.HasSuffix(lines[2], "Ada 2 <ada+2@example.com>") {
		t.Errorf("%q", out)
	}
	out = b.want(done, "", "duplicates", "--tenant", "acme", "--json")
	assert.Thatf(t, strings.HasPrefix(out, `[{"why":["email"],"count":2,"customers":[{`), "%q", out)
	must.Exec(t, b.Admin(), `
		INSERT INTO customers (tenant_id, id, email, name)
		SELECT $1, new_id(now()), format('bob%s+%s@example.com', of, n), format('Bob %s %s', of, n)
		FROM generate_series(1, 100) AS of, generate_series(1, 2) AS n`, tenant)
	if out := b.want(done, "", "duplicates", "--tenant", "acme"); strings.Count(out, "2 customers with the same email\n") != 101 {
		t.Errorf("not all of 101 groups on two pages:\n%s", out)
	}
	b.want(notFound, "", "duplicates", "--tenant", "Initech")
}
