package e2e

import (
	"slices"

	"onlyonce/internal/assert"
)

// invoiceCount is the number of invoices in the demo data.
type invoiceCount struct{ before int }

func (r sqlRecords) invoices(number string) int {
	r.s.t.Helper()
	if number == "" {
		return r.s.allInvoices() - r.before
	}
	return r.s.count("SELECT count(*) FROM invoices WHERE number = $1", number)
}

func (r sqlRecords) life(number string) (operations []string, versions int) {
	r.s.t.Helper()
	r.s.query(&operations, `
		SELECT COALESCE(array_agg(operation ORDER BY at), '{}') FROM intents JOIN invoices i ON i.id = record_id
		WHERE outcome = 'changed' AND number = $1`, number)
	return operations, r.s.count(`
		SELECT version - 1 - (SELECT count(*) FROM payments p WHERE p.invoice_id = i.id) FROM invoices i WHERE number = $1`, number)
}

// payments also checks the ledger.
func (r sqlRecords) payments(number string) (amounts []string, paid string) {
	r.s.t.Helper()
	var posted []string
	for table, found := range map[string]*[]string{"payments": &amounts, "postings": &posted} {
		order := map[string]string{"payments": "id", "postings": "at"}[table]
		r.s.query(found, `
			SELECT COALESCE(array_agg((amount / 100.0)::numeric(20, 2)::text ORDER BY p.`+order+`), '{}')
			FROM `+table+` p JOIN invoices i ON i.id = p.invoice_id WHERE number = $1`, number)
	}
	assert.Thatf(r.s.t, slices.Equal(amounts, posted), "the payments are %v, and %v is posted", amounts, posted)
	r.s.query(&paid, `SELECT (paid / 100.0)::numeric(20, 2)::text FROM invoices WHERE number = $1`, number)
	return amounts, paid
}

// books also checks the ledger.
func (r sqlRecords) books(number string) string {
	r.s.t.Helper()
	var state, paid, credited, open string
	for column, found := range map[string]*string{"paid": &paid, "credited": &credited, "open_amount": &open} {
		r.s.query(found, `SELECT (`+column+` / 100.0)::numeric(20, 2)::text FROM invoices WHERE number = $1`, number)
	}
	r.s.query(&state, `SELECT state FROM invoices WHERE number = $1`, number)
	n := r.s.count(`
		SELECT count(*) FROM invoices i
		WHERE number = $1
			AND paid = (SELECT COALESCE(sum(amount), 0) FROM postings WHERE invoice_id = i.id
				AND kind IN ('payment', 'refund', 'removal', 'to_credit'))
			AND credited = (SELECT COALESCE(sum(amount), 0) FROM postings WHERE invoice_id = i.id AND kind = 'credit')`, number)
	assert.Thatf(r.s.t, n == 1, "the ledger differs")
	of := func(table string) int {
		return r.s.count(`SELECT count(*) FROM `+table+` r JOIN invoices i ON i.id = r.invoice_id WHERE i.number = $1`, number)
	}
	return booksText(state, paid, credited, open, of("refunds"), of("credit_notes"))
}

// allInvoices includes those of the demo data.
func (s *session) allInvoices() int {
	s.t.Helper()
	return s.count("SELECT count(*) FROM invoices")
}

// lockInvoices blocks the creation of invoices until release is called.
func (s *session) lockInvoices() (release func()) {
	s.t.Helper()
	return s.lock("invoices")
}
