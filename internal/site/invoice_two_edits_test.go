package site_test

import "testing"

// TestEditsOfLines: the lines of an invoice are kept or replaced as a whole.
func TestEditsOfLines(t *testing.T) {
	b := setup(t)
	made := b.program(b.replica, b.acme).with("Idempotency-Key", "draft").post("/api/v1/invoices", `{
		"customer": {"email": "ada@example.com", "name": "Ada"}, "currency": "EUR", "issue_date": "2026-11-21", "due_date": "2026-12-21",
		"lines": [{"description": "Tea", "quantity": "1", "unit_price": "2.00", "tax_rate": "0"}]}`)
	e := b.opened(made.location())
	e.save(e.first, "first", "line_description", "Coffee", "line_unit_price", "3.00", "notes", "Thanks")
	refused := b.page(e.save(e.second, "second", "line_description", "Cake", "line_unit_price", "4.00"))
	refused.says("You both changed the same fields.", "Notes Changed by them", "Line 1 Changed by both")
	form := refused.typed()
	form.Set("keep_saved", "line_description")
	b.page(e.second.get(e.second.submit(e.path+"/edit", form).location())).says("Coffee", "3.00", "Thanks")
}
