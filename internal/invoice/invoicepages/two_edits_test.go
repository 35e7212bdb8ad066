package invoicepages_test

import (
	"testing"

	"onlyonce/internal/site/sitetest"
)

// TestEditsOfLines: the lines of an invoice are kept or replaced as a whole.
func TestEditsOfLines(t *testing.T) {
	b := sitetest.Setup(t)
	made := b.Program(b.Replica, b.Acme).With("Idempotency-Key", "draft").Post("/api/v1/invoices", `{
		"customer": {"email": "ada@example.com", "name": "Ada"}, "currency": "EUR", "issue_date": "2026-11-21", "due_date": "2026-12-21",
		"lines": [{"description": "Tea", "quantity": "1", "unit_price": "2.00", "tax_rate": "0"}]}`)
	e := b.Opened(made.Location())
	e.Save(e.First, "first", "line_description", "Coffee", "line_unit_price", "3.00", "notes", "Thanks")
	refused := b.Page(e.Save(e.Second, "second", "line_description", "Cake", "line_unit_price", "4.00"))
	refused.Says("You both changed the same fields.", "Notes Changed by them", "Line 1 Changed by both")
	form := refused.Typed()
	form.Set("keep_saved", "line_description")
	b.Page(e.Second.Get(e.Second.Submit(e.Path+"/edit", form).Location())).Says("Coffee", "3.00", "Thanks")
}
