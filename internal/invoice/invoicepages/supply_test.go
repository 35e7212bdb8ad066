package invoicepages_test

import (
	"net/http"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/site/sitetest"
)

// TestSupplyEverywhere: the form, the API, the page, the history and the files of an invoice have the day or the period of supply. A copy
// doesn't.
func TestSupplyEverywhere(t *testing.T) {
	b := sitetest.Setup(t)
	person, program := b.Person(b.Replica, b.Acme), b.Program(b.Replica, b.Acme)
	made := program.With("Idempotency-Key", sitetest.Key).Post("/api/v1/invoices", `{
		"customer": {"email": "ada@example.com", "name": "Ada", "country": "DE", "tax_id": "DE136695976"}, "currency": "EUR",
		"issue_date": "2026-11-21", "due_date": "2026-12-21", "supplied_from": "2026-11-02", "lines": [
			{"description": "Tea", "quantity": "1", "unit_price": "10.00", "tax_rate": "0", "tax_treatment": "intra_community"}]}`)
	assert.Thatf(t, strings.Contains(made.Body, `"supplied_from":"2026-11-02"`), "no day in %v", made)
	path := strings.TrimPrefix(made.Location(), "/api/v1")
	b.Page(person.Get(path)).Says("Supplied on 2 Nov 2026")
	edit := b.Page(person.Get(person.Get(path + "/edit").Location()))
	assert.Equal(t, edit.Typed().Get("supplied_from")+edit.Typed().Get("supplied_to"), "2026-11-02", "the form")
	e := b.Opened(made.Location())
	e.Save(e.First, "first", "supplied_to", "2026-11-30")
	b.Page(person.Get(path)).Says("Supplied 2 Nov 2026 – 30 Nov 2026", "Supplied until set to 30 Nov 2026")
	copied := b.Page(person.Get(person.Get("/invoices/new?copy=" + strings.TrimPrefix(path, "/invoices/")).Location())).Typed()
	assert.Equal(t, copied.Get("supplied_from")+copied.Get("supplied_to"), "", "the form of a copy")

	b.Exec(`UPDATE settings SET country = 'IE', tax_id = 'IE6388047V'`)
	program.Post(made.Location()+"/issue", "").Want(t, http.StatusOK)
	text := readPDF(b, person.Get(path+"/pdf"))
	assert.Thatf(t, strings.Contains(text, "2 Nov 2026 – 30 Nov 2026"), "the PDF file says %q", text)
	sent := program.Get(made.Location() + "/ubl").Body
	for _, want := range []string{"<cbc:StartDate>2026-11-02<", "<cbc:EndDate>2026-11-30<", "<cac:DeliveryLocation>"} {
		assert.Thatf(t, strings.Contains(sent, want), "no %s in %s", want, sent)
	}
	assert.Thatf(t, !strings.Contains(sent, "ActualDeliveryDate"), "a day beside the period: %s", sent)
}
