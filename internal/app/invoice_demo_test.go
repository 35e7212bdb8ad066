package app_test

import (
	"testing"

	"onlyonce/internal/postgres/pgtest"
)

// TestDemoShowsTheLife: there is something of everything, over the last year and in three currencies.
func TestDemoShowsTheLife(t *testing.T) {
	b := setup(t)
	const ofAcme = ` tenant_id = '` + acme + `' AND `
	for what, atLeast := range map[string]struct {
		sql  string
		want int
	}{
		"drafts":               {ofAcme + `state = 'draft'`, 2},
		"issued":               {ofAcme + `state = 'issued' AND due_date >= current_date`, 1},
		"overdue":              {ofAcme + `state IN ('issued', 'partially_paid') AND due_date < current_date`, 3},
		"paid":                 {ofAcme + `state = 'paid'`, 25},
		"paid in part":         {ofAcme + `state = 'partially_paid'`, 3},
		"paid in two parts":    {ofAcme + `state = 'paid' AND (SELECT count(*) FROM payments p WHERE p.invoice_id = i.id) = 2`, 5},
		"void":                 {ofAcme + `state = 'void'`, 2},
		"credited":             {ofAcme + `state = 'credited'`, 2},
		"credited in part":     {ofAcme + `state <> 'credited' AND credited > 0`, 2},
		"refunded in part":     {ofAcme + `paid > 0 AND EXISTS (SELECT FROM refunds r WHERE r.invoice_id = i.id)`, 2},
		"refunded in full":     {ofAcme + `paid = 0 AND EXISTS (SELECT FROM refunds r WHERE r.invoice_id = i.id)`, 1},
		"of a year ago":        {ofAcme + `issue_date < current_date - 350`, 1},
		"in euros":             {ofAcme + `currency = 'EUR'`, 30},
		"in dollars":           {ofAcme + `currency = 'USD'`, 3},
		"in yen":               {ofAcme + `currency = 'JPY'`, 3},
		"open in yen":          {ofAcme + `currency = 'JPY' AND state IN ('issued', 'partially_paid')`, 1},
		"more than two pages":  {ofAcme + `true`, 51},
		"of another tenant":    {`tenant_id = '` + globex + `'`, 20},
		"of a schedule":        {ofAcme + `EXISTS (SELECT FROM schedule_periods p WHERE p.id = i.id)`, 2},
		"mailed":               {`EXISTS (SELECT FROM mails m WHERE m.invoice_id = i.id)`, 60},
		"of the same customer": {ofAcme + `(SELECT count(*) FROM invoices o WHERE o.customer_id = i.customer_id) > 3`, 51},
	} {
		if n := b.number(`SELECT count(*) FROM invoices i WHERE ` + atLeast.sql); n < atLeast.want {
			t.Errorf("%s: %d, want at least %d", what, n, atLeast.want)
		}
	}
	for what, sql := range map[string]string{
		"issued in the future":   `SELECT count(*) FROM invoices WHERE issue_date > current_date`,
		"paid in the future":     `SELECT count(*) FROM payments WHERE paid_on > current_date`,
		"refunded in the future": `SELECT count(*) FROM refunds WHERE refunded_on > current_date`,
		"refunded before it was paid": `
			SELECT count(*) FROM refunds r JOIN payments p ON p.id = r.payment_id WHERE r.refunded_on < p.paid_on`,
		"numbered in another order than that of their days": `
			SELECT count(*) FROM invoices a JOIN invoices b USING (tenant_id, issue_year)
			WHERE a.number < b.number AND a.issue_date > b.issue_date
				AND NOT EXISTS (SELECT FROM schedule_periods p WHERE p.id = b.id)`, // which may be billed later
	} {
		if n := b.number(sql); n > 0 {
			t.Errorf("%d were %s", n, what)
		}
	}
}

// How many invoices the demo tenants have.
const (
	acmeDemoInvoices = 55
	billedInDemo     = 2 // by the schedule of each
	demoInvoices     = acmeDemoInvoices + 25
)

// invoiceTables are those that the demo data of invoices is in.
const invoiceTables = "invoices, invoice_lines, invoice_number_runs"

// invoiceStory is what a person sees of them, row by row.
const invoiceStory = `
	SELECT concat_ws(' ', t.name, o.key, i.number, i.issue_date, i.due_date, i.currency, i.total, i.state, i.paid, c.email)
	FROM invoices i JOIN intents o ON o.tenant_id = i.tenant_id AND o.record_id = i.id AND o.operation = 'invoice.create'
		JOIN customers c ON c.tenant_id = i.tenant_id AND c.id = i.customer_id JOIN tenants t ON t.id = i.tenant_id
	UNION ALL SELECT concat_ws(' ', 'refund', t.name, amount, refunded_on) FROM refunds JOIN tenants t ON t.id = tenant_id
	UNION ALL SELECT concat_ws(' ', 'credit note', t.name, number, total) FROM credit_notes JOIN tenants t ON t.id = tenant_id`

// TestInterruptedDemoInvoicesAreCompleted, with their numbers.
func TestInterruptedDemoInvoicesAreCompleted(t *testing.T) {
	pgtest.Long(t)
	wantCompleted(t, "invoices", []interruption{
		{"demo-001-1", "demo-001-2", 0, 1}, {"demo-018-4", "demo-001-2", 18, 1}, {"demo-018-4", "demo-014-3", 18, 14},
		{"demo-054-1", "demo-024-1", 53, 23},
	})
}
