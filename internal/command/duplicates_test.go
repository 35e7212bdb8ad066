package command

import (
	"strings"
	"testing"

	"onlyonce/internal/must"
)

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
	if !strings.HasPrefix(out, `[{"why":["email"],"count":2,"customers":[{`) {
		t.Errorf("%q", out)
	}
	must.Exec(t, b.Admin(), `
		INSERT INTO customers (tenant_id, id, email, name)
		SELECT $1, new_id(now()), format('bob%s+%s@example.com', of, n), format('Bob %s %s', of, n)
		FROM generate_series(1, 100) AS of, generate_series(1, 2) AS n`, tenant)
	if out := b.want(done, "", "duplicates", "--tenant", "acme"); strings.Count(out, "2 customers with the same email\n") != 101 {
		t.Errorf("not all of 101 groups on two pages:\n%s", out)
	}
	b.want(notFound, "", "duplicates", "--tenant", "Initech")
}
