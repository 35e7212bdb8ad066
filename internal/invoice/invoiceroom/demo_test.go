package invoiceroom_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"

	"onlyonce/internal/app/apptest"
	"onlyonce/internal/assert"
	"onlyonce/internal/invoice/duplicate"
	"onlyonce/internal/invoice/invoicetest"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/record"
)

// TestDemoShowsTheLife: the demo has records in every state, over the last year and in three currencies.
func TestDemoShowsTheLife(t *testing.T) {
	pgtest.Long(t)
	b := apptest.New(t)
	const ofAcme = ` tenant_id = '` + apptest.Acme + `' AND `
	for what, atLeast := range map[string]struct {
		sql  string
		want int
	}{
		"drafts":            {ofAcme + `state = 'draft'`, 2},
		"issued":            {ofAcme + `state = 'issued' AND due_date >= current_date`, 1},
		"overdue":           {ofAcme + `state IN ('issued', 'partially_paid') AND due_date < current_date`, 3},
		"paid":              {ofAcme + `state = 'paid'`, 25},
		"paid in part":      {ofAcme + `state = 'partially_paid'`, 3},
		"paid in two parts": {ofAcme + `state = 'paid' AND (SELECT count(*) FROM payments p WHERE p.invoice_id = i.id) = 2`, 5},
		"void":              {ofAcme + `state = 'void'`, 2},
		"credited":          {ofAcme + `state = 'credited'`, 2},
		"in months with a credit note": {
			ofAcme + `i.id IN (
				SELECT DISTINCT ON (date_trunc('month', n.issue_date)) n.invoice_id
				FROM credit_notes n ORDER BY date_trunc('month', n.issue_date))`,
			4,
		},
		"credited in part":      {ofAcme + `state <> 'credited' AND credited > 0`, 2},
		"of a small difference": {ofAcme + `state = 'paid' AND paid > 0 AND written_off BETWEEN 1 AND 5`, 1},
		"refunded in part":      {ofAcme + `paid > 0 AND EXISTS (SELECT FROM refunds r WHERE r.invoice_id = i.id)`, 2},
		"refunded in full":      {ofAcme + `paid = 0 AND EXISTS (SELECT FROM refunds r WHERE r.invoice_id = i.id)`, 1},
		"of a year ago":         {ofAcme + `issue_date < current_date - 350`, 1},
		"in euros":              {ofAcme + `currency = 'EUR'`, 30},
		"in dollars":            {ofAcme + `currency = 'USD'`, 3},
		"in yen":                {ofAcme + `currency = 'JPY'`, 3},
		"open in yen":           {ofAcme + `currency = 'JPY' AND state IN ('issued', 'partially_paid')`, 1},
		"reminded":              {ofAcme + `EXISTS (SELECT FROM invoice_reminders m WHERE m.invoice_id = i.id)`, 1},
		"more than two pages":   {ofAcme + `true`, 51},
		"of another tenant":     {`tenant_id = '` + apptest.Globex + `'`, 20},
		"of a schedule":         {ofAcme + `EXISTS (SELECT FROM schedule_periods p WHERE p.id = i.id)`, 2},
		"mailed":                {`EXISTS (SELECT FROM mails m WHERE m.invoice_id = i.id)`, 60},
		"of the same customer":  {ofAcme + `(SELECT count(*) FROM invoices o WHERE o.customer_id = i.customer_id) > 3`, 51},
	} {
		n := b.Number(`SELECT count(*) FROM invoices i WHERE ` + atLeast.sql)
		assert.Thatf(t, n >= atLeast.want, "%s: %d, want at least %d", what, n, atLeast.want)
	}
	for what, sql := range map[string]string{
		"issued in the future":      `SELECT count(*) FROM invoices WHERE issue_date > current_date`,
		"paid in the future":        `SELECT count(*) FROM payments WHERE paid_on > current_date`,
		"refunded in the future":    `SELECT count(*) FROM refunds WHERE refunded_on > current_date`,
		"written off in the future": `SELECT count(*) FROM write_offs WHERE written_off_on > current_date`,
		"credited in the future":    `SELECT count(*) FROM credit_notes WHERE issue_date > current_date`,
		"credited before they were issued": `
			SELECT count(*) FROM credit_notes n JOIN invoices i ON i.id = n.invoice_id WHERE n.issue_date < i.issue_date`,
		"taxed although the customer is abroad": `
			SELECT count(*) FROM invoices i JOIN customers c ON c.id = i.customer_id JOIN settings s ON s.tenant_id = i.tenant_id
			WHERE c.country <> s.country AND i.tax_total > 0`,
		"untaxed for customers abroad, without the reason": `
			SELECT count(*) FROM invoice_lines l JOIN invoices i ON i.id = l.invoice_id JOIN customers c ON c.id = i.customer_id
			WHERE i.tenant_id = '` + apptest.Acme + `' AND c.country <> 'IE'
				AND (l.tax_treatment IN ('reverse_charge', 'outside_scope')) IS NOT TRUE`,
		"refunded before it was paid": `
			SELECT count(*) FROM refunds r JOIN payments p ON p.id = r.payment_id WHERE r.refunded_on < p.paid_on`,
		"numbered in another order than that of their days": `
			SELECT count(*) FROM invoices a JOIN invoices b USING (tenant_id, issue_year)
			WHERE a.number < b.number AND a.issue_date > b.issue_date
				AND NOT EXISTS (SELECT FROM schedule_periods p WHERE p.id = b.id)`, // periods may be billed later
	} {
		n := b.Number(sql)
		assert.Thatf(t, n == 0, "%d were %s", n, what)
	}
}

// TestDemoHasOneTwin checks that the pair of the demo is on /duplicate-invoices, and no pair on the start page.
func TestDemoHasOneTwin(t *testing.T) {
	b := apptest.New(t)
	for tenant, want := range map[string]string{apptest.Acme: "2", apptest.Globex: ""} {
		found, err := duplicate.List(t.Context(), b.DB.Pool, uuid.MustParse(tenant), record.Page{Limit: 10})
		must.OK(t, err)
		var groups []string
		for _, g := range found.Rows {
			groups = append(groups, strconv.Itoa(g.Count))
		}
		assert.Equal(t, strings.Join(groups, ", "), want, tenant, "invoices that look alike")
	}
	n := b.Number(`
		SELECT count(*) FROM (
			SELECT FROM (
				SELECT *, row_number() OVER (PARTITION BY tenant_id ORDER BY issue_date DESC, id DESC) AS place FROM invoices) AS i
			WHERE (place <= 5 OR state = 'draft' OR state IN ('issued', 'partially_paid') AND due_date < current_date)
				AND NOT EXISTS (SELECT FROM schedule_periods p WHERE p.id = i.id) -- which are the same each month
			GROUP BY tenant_id, customer_id, total HAVING count(*) > 1) AS twins`)
	assert.Thatf(t, n == 0, "Home shows %d invoices more than once", n)
}

// TestDemoIsMostlyOnTime checks that less than half of the open invoices are overdue, in each currency, by amount and by number.
func TestDemoIsMostlyOnTime(t *testing.T) {
	b := apptest.New(t)
	var late string
	must.OK(t, b.DB.Admin().QueryRow(t.Context(), `
		SELECT COALESCE(string_agg(books::text, ' '), '') FROM (
			SELECT tenant_id, currency, sum(open_amount) AS amount, sum(open_amount) FILTER (WHERE due_date < current_date) AS late_amount,
				count(*) AS invoices, count(*) FILTER (WHERE due_date < current_date) AS late
			FROM invoices WHERE state IN ('issued', 'partially_paid') GROUP BY tenant_id, currency) AS books
		WHERE 2 * late_amount > amount OR 2 * late > invoices`).Scan(&late))
	assert.Thatf(t, late == "", "most of what is open is overdue: %s", late)
}

// TestInterruptedDemoInvoicesAreCompleted, with their numbers.
func TestInterruptedDemoInvoicesAreCompleted(t *testing.T) {
	pgtest.Long(t)
	apptest.WantCompleted(t, []string{invoicetest.DemoStory}, "invoices", []apptest.Interruption{
		{AcmeKey: "demo-001-1", GlobexKey: "demo-001-2", Acme: 0, Globex: 1},
		{AcmeKey: "demo-018-4", GlobexKey: "demo-001-2", Acme: 18, Globex: 1},
		{AcmeKey: "demo-018-4", GlobexKey: "demo-014-3", Acme: 18, Globex: 14},
		{AcmeKey: "demo-054-1", GlobexKey: "demo-024-1", Acme: 53, Globex: 23},
	})
}
