package command

import (
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
)

// TestDuplicateInvoicesCommand compares the command with the page, after the customers, as text and as JSON.
func TestDuplicateInvoicesCommand(t *testing.T) {
	b := setup(t)
	tenant := b.object(done, "", "tenant", "create", "Acme")["id"]
	must.Exec(t, b.Admin(), `
		WITH ada AS (
			INSERT INTO customers (tenant_id, id, email, name) SELECT id, new_id(now()), 'ada@example.com', 'Ada' FROM tenants WHERE id = $1
			RETURNING *)
		INSERT INTO invoices (tenant_id, id, number, customer_id, currency, issue_date, due_date, notes, subtotal, tax_total, total)
		SELECT tenant_id, new_id(now() + n * interval '1 ms'), 'A-' || n, id, 'EUR', '2026-11-01'::date + n, '2026-12-01', '', 950, 0, 950
		FROM ada, generate_series(1, 2) AS n`, tenant)
	out := b.want(done, "", "duplicates", "--tenant", "acme")
	lines := strings.Split(out, "\n")
	assert.Thatf(t, len(lines) == 4 && lines[0] == "2 invoices for Ada with the same lines and EUR 9.50, 1 days apart" &&
		strings.HasSuffix(lines[1], "  A-1  2026-11-02  draft") && strings.HasSuffix(lines[2], "  A-2  2026-11-03  draft"), "%q", out)
	out = b.want(done, "", "duplicates", "--tenant", "acme", "--json")
	assert.Thatf(t, strings.HasPrefix(out, `[{"days":1,"count":2,"invoices":[{`), "%q", out)
}
