package lab

import "context"

const (
	invoicesPath = "/api/v1/invoices"
	// anInvoice is an invoice of €123.00; the server allocates its number.
	anInvoice = `{
		"customer": {"email": "ada@example.com", "name": "Ada Lovelace"},
		"issue_date": "2026-11-21", "due_date": "2026-12-21", "currency": "EUR",
		"lines": [{"description": "Design", "quantity": "1", "unit_price": "100.00", "tax_rate": "23"}]
	}`
	invoiceAmount = 123_00

	countInvoices = "SELECT number, (total / 100.0)::numeric(12, 2) AS eur, to_char(created_at, 'HH24:MI:SS.MS') AS created_at\n" +
		"FROM invoices ORDER BY number, id"
	markInvoices = "SELECT id::text FROM invoices ORDER BY number, id"
)

// invoiceLane creates the invoice.
func invoiceLane(who string) lane {
	return lane{who: who, method: "POST", path: invoicesPath, body: anInvoice}
}

// ofInvoices completes a script that counts invoices.
func ofInvoices(s script) script {
	s.noun, s.amount, s.counts, s.marks = "invoice", invoiceAmount, countInvoices, markInvoices
	return s
}

// atOnce makes all attempts at the same time.
func atOnce(ctx context.Context, s *stage) error {
	all := make([]int, len(s.lanes))
	for n := range all {
		all[n] = n
	}
	return s.together(ctx, all, lockNumbers)
}
