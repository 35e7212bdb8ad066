package invoicepages_test

import (
	"net/http"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/invoice/invoicecases"
	"onlyonce/internal/site/sitetest"
)

// TestDiscountsEverywhere: the form, the API, the page, the files and the credit note of an invoice have the unit and the discount of each
// line, and so has a schedule.
func TestDiscountsEverywhere(t *testing.T) {
	b := sitetest.Setup(t)
	person, program := b.Person(b.Replica, b.Acme), b.Program(b.Replica, b.Acme)
	const lines = `"lines": [
		{"description": "Design", "quantity": "12", "unit": "HUR", "unit_price": "50.00", "discount": "10%", "tax_rate": "23"},
		{"description": "Paper", "quantity": "4", "unit": "KGM", "unit_price": "7.50", "discount": "2.00", "tax_rate": "23"}]`
	made := program.With("Idempotency-Key", sitetest.Key).Post("/api/v1/invoices", `{
		"customer": {"email": "ada@example.com", "name": "Ada", "country": "DE", "tax_id": "DE136695976"}, "currency": "EUR",
		"issue_date": "2026-11-21", "due_date": "2026-12-21", `+lines+`}`)
	address := made.Location()
	path := strings.TrimPrefix(address, "/api/v1")
	edit := b.Page(person.Get(person.Get(path + "/edit").Location()))
	typed := edit.Typed()
	got := strings.Join(append(typed["line_unit"], typed["line_discount"]...), " ")
	assert.Equal(t, got, "HUR KGM 10% 2.00", "the form")
	edit.Says("540.00", "28.00", "Subtotal 568.00")
	person.Press(edit, "Save changes")
	b.WantOutcomes("created", "unchanged")

	shown := program.Get(address)
	for _, want := range []string{
		`"unit":"HUR","unit_price":"50.00","discount":"10%","tax_rate":"23","tax_treatment":"standard","net":"540.00"`, `"discount":"2.00"`,
	} {
		assert.Thatf(t, strings.Contains(shown.Body, want), "no %s in %v", want, shown)
	}
	rows := []string{"Design less 10% (60.00) 12 hours 50.00 23% 540.00", "Paper less 2.00 4 kg 7.50 23% 28.00"}
	b.Page(person.Get(path)).Says(rows...)
	b.Exec(`UPDATE settings SET country = 'IE', tax_id = 'IE6388047V'`)
	program.Post(address+"/issue", "").Want(t, http.StatusOK)
	sent := program.Get(address + "/ubl")
	for _, want := range []string{
		`unitCode="HUR">12<`, `<cbc:MultiplierFactorNumeric>10</`, `<cbc:Amount currencyID="EUR">60.00</`,
		`<cbc:Amount currencyID="EUR">2.00</`,
	} {
		assert.Thatf(t, strings.Contains(sent.Body, want), "no %s in %v", want, sent)
	}
	text := readPDF(b, person.Get(path+"/pdf"))
	assert.Thatf(t, strings.Contains(text, "12 hours") && strings.Contains(text, "less 10% (60.00)"), "the PDF file says %q", text)

	note := program.With("Idempotency-Key", "part").Post(address+"/credit-notes", `{"lines": [
		{"position": 1, "quantity": "1"}, {"position": 2, "quantity": "1"}]}`)
	b.Page(person.Get(strings.TrimPrefix(note.Location(), "/api/v1"))).
		Says("Design less 10% (5.00) 1 hour 50.00 23% 45.00", "Paper less 0.50 1 kg 7.50 23% 7.00")
	b.Page(person.Get(person.Get(path + "/credit-notes/new").Location())).Says("50.00 540.00 11 hours (495.00)")

	customer := sitetest.Decode[struct{ Customer struct{ ID string } }](b, made).Customer.ID
	schedule := program.With("Idempotency-Key", "schedule").Post("/api/v1/schedules", `{
		"customer_id": "`+customer+`", "currency": "EUR", "every": "1", "unit": "month", "first_day": "2090-01-31", "bill_as": "draft",
		"missed": "each", `+lines+`}`)
	b.Page(person.Get(strings.TrimPrefix(schedule.Location(), "/api/v1"))).Says(rows...)
	period := program.With("Idempotency-Key", "period").Post(schedule.Location()+"/periods", `{"period": "2090-01-31"}`)
	billed := sitetest.Decode[struct {
		Invoice string `json:"invoice_id"`
	}](b, period).Invoice
	b.Page(person.Get("/invoices/" + billed)).Says(rows...)
}

// TestHistoryOfDiscounts: two edits of a discount are compared in words, and a discount is read as people write it.
func TestHistoryOfDiscounts(t *testing.T) {
	b := sitetest.Setup(t)
	made := b.Program(b.Replica, b.Acme).With("Idempotency-Key", "draft").Post("/api/v1/invoices", `{
		"customer": {"email": "ada@example.com", "name": "Ada"}, "currency": "EUR", "issue_date": "2026-11-21", "due_date": "2026-12-21",
		"lines": [{"description": "Tea", "quantity": "3", "unit_price": "200.00", "tax_rate": "0"}]}`)
	e := b.Opened(made.Location())
	e.Save(e.First, "first", "line_discount", "12,5 %")
	b.Page(e.Save(e.Second, "second", "line_discount", "1,50", "line_unit", "KGM")).
		Says("You both changed the same fields.", "Tea · 3 · 200.00 · discount 12.5%", "Tea · 3 kg · 200.00 · discount 1.50")
	b.Page(b.Person(b.Replica, b.Acme).Get(strings.TrimPrefix(made.Location(), "/api/v1"))).
		Says("Lines changed Total changed from 600.00 EUR to 525.00 EUR")
}

// TestNegativeLinesEverywhere: a line takes something off, on the page and in the files, but no invoice is below zero.
func TestNegativeLinesEverywhere(t *testing.T) {
	b := sitetest.Setup(t)
	person, program := b.Person(b.Replica, b.Acme), b.Program(b.Replica, b.Acme)
	form := sitetest.Change(invoicecases.Invoices().Command, "idempotency_key", sitetest.Key)
	form["line_quantity"], form["line_unit_price"] = []string{"2", "-1"}, []string{"50.00", "200.00"}
	form["line_tax_rate"], form["line_discount"] = []string{"23", "0"}, []string{"", "10%"}
	refused := b.Page(person.Submit("/invoices", form)).Says("The net amount and the tax of all lines must not be below 0.")
	sitetest.Keeps(b, refused, form)
	form["line_unit_price"][1] = "20.00"
	done := person.Submit("/invoices", form) // under the same key
	rows := []string{
		"Printing less 10% (−2.00) −1 20.00 0% −18.00", "Subtotal 82.00", "Tax 0% on −18.00 0.00", "Tax 23% on 100.00 23.00",
		"Total EUR 105.00",
	}
	b.Page(person.Get(done.Location())).Says(rows...)
	path, _, _ := strings.Cut(done.Location(), "?")
	b.Exec(`UPDATE settings SET country = 'IE', tax_id = 'IE6388047V'`)
	b.Exec(`UPDATE customers SET country = 'DE'`)
	program.Post("/api/v1"+path+"/issue", "").Want(t, http.StatusOK)
	sent := program.Get("/api/v1" + path + "/ubl")
	for _, want := range []string{`>-1</cbc:InvoicedQuantity>`, `>-18.00</cbc:LineExtensionAmount>`, `>-18.00</cbc:TaxableAmount>`} {
		assert.Thatf(t, strings.Contains(sent.Body, want), "no %s in %v", want, sent)
	}
	text := readPDF(b, person.Get(path+"/pdf"))
	assert.Thatf(t, strings.Contains(text, "−18.00"), "the PDF file says %q", text)
	credit := b.Page(person.Get(person.Get(path + "/credit-notes/new").Location())).Says("−1 (−18.00)")
	assert.Equal(t, strings.Join(credit.Typed()["line_quantity"], " "), "2 -1", "the form of a credit note")
	b.Page(person.Get(person.Press(credit, "Create credit note").Location())).Says("Total credited EUR 105.00")
	b.Page(person.Get("/tax-summary?from=2026-11-01&to=2026-12-31")).Says("105.00")
}
