package app_test

import (
	"net/url"

	"onlyonce/internal/assert"
)

func (h *host) resendInvoice() {
	h.Helper()
	before := h.Number(`SELECT count(*) FROM invoices`)
	h.resend("/invoices", url.Values{
		"customer_email": {"lin@example.com"}, "customer_name": {"Lin"},
		"line_description": {"Design"}, "line_quantity": {"1"}, "line_unit_price": {"50.00"},
	}, `{
		"customer": {"email": "lin@example.com", "name": "Lin"}, "issue_date": "2026-11-21", "due_date": "2026-12-21", "currency": "EUR",
		"notes": "For Ada", "lines": [{"description": "Printing", "quantity": "2", "unit_price": "50.00", "tax_rate": "23"}]
	}`)
	made := h.Number(`SELECT count(*) FROM invoices`) - before
	assert.Thatf(h, made == 2, "%d invoices", made)
}
