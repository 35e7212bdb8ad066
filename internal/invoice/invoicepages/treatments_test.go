package invoicepages_test

import (
	"net/http"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/site/sitetest"
)

// TestUntaxedLinesEverywhere: the form, the API, the page, the files and the credit note of an invoice have the treatment of each line, and
// why there is no tax.
func TestUntaxedLinesEverywhere(t *testing.T) {
	b := sitetest.Setup(t)
	person, program := b.Person(b.Replica, b.Acme), b.Program(b.Replica, b.Acme)
	made := program.With("Idempotency-Key", sitetest.Key).Post("/api/v1/invoices", `{
		"customer": {"email": "ada@example.com", "name": "Ada", "country": "DE", "tax_id": "DE136695976"}, "currency": "EUR",
		"issue_date": "2026-11-21", "due_date": "2026-12-21", "exemption_reason": "Article 132 of the directive", "lines": [
			{"description": "Design", "quantity": "1", "unit_price": "10.00", "tax_rate": "23"},
			{"description": "Course", "quantity": "1", "unit_price": "20.00", "tax_rate": "0", "tax_treatment": "exempt"},
			{"description": "Advice", "quantity": "2", "unit_price": "30.00", "tax_rate": "0", "tax_treatment": "reverse_charge"}]}`)
	address := made.Location()
	path := strings.TrimPrefix(address, "/api/v1")
	edit := b.Page(person.Get(person.Get(path + "/edit").Location()))
	got := edit.Typed()["line_tax_treatment"]
	assert.Thatf(t, strings.Join(got, " ") == " exempt reverse_charge", "the form has the treatments %q", got)
	person.Press(edit, "Save changes")
	b.WantOutcomes("created", "unchanged")
	b.Exec(`UPDATE settings SET tax_rate = 19`)
	for _, want := range []string{"19 ", "0 exempt"} {
		added := b.Page(person.Submit(path+"/form", sitetest.Change(edit.Typed(), "action", "add_line"))).Typed()
		last := len(added["line_tax_rate"]) - 1
		assert.Equal(t, added["line_tax_rate"][last]+" "+added["line_tax_treatment"][last], want, "a new line")
		issued := program.With("Idempotency-Key", "issued").Post("/api/v1/invoices", `{
			"customer_id": "`+sitetest.Get[string](b, `SELECT id::text FROM customers`)+`",
			"currency": "EUR", "issue_date": "2026-11-20", "exemption_reason": "Article 132",
			"lines": [{
				"description": "Course", "quantity": "1", "unit_price": "5.00", "tax_rate": "0", "tax_treatment": "exempt"
			}]}`).Location()
		program.Post(issued+"/issue", "").Want(t, http.StatusOK)
	}

	for _, want := range []string{`"tax_rate":"23","tax_treatment":"standard"`, `"tax_rate":"0","tax_treatment":"reverse_charge"`} {
		a := program.Get(address)
		assert.Thatf(t, strings.Contains(a.Body, want), "no %s in %v", want, a)
	}
	reasons := []string{
		"Exempt on 20.00 0.00", "Reverse charge on 60.00 0.00", "Tax 23% on 10.00 2.30", "Total EUR 92.30",
		"Exempt: Article 132 of the directive", "Reverse charge: the customer accounts for the tax.",
	}
	b.Page(person.Get(path)).Says(append(reasons, "Course 1 20.00 Exempt 20.00")...)
	b.Exec(`UPDATE settings SET country = 'IE', tax_id = 'IE6388047V'`)
	program.Post(address+"/issue", "").Want(t, http.StatusOK)
	note := program.With("Idempotency-Key", "credit").Post(address+"/credit-notes", `{"lines": [{"position": 3, "quantity": "1"}]}`)
	if want := `"taxes":[{"rate":"0","tax_treatment":"reverse_charge","net":"30.00","tax":"0.00"}]`; !strings.Contains(note.Body, want) {
		t.Errorf("no %s in %v", want, note)
	}
	credit := strings.TrimPrefix(note.Location(), "/api/v1")
	b.Page(person.Get(credit)).Says("Advice 1 30.00 Reverse charge 30.00", "Reverse charge on 30.00 0.00", reasons[5])
	all := program.With("Idempotency-Key", "rest").Post(address+"/credit-notes", `{}`)
	if want := `"taxes":[{"rate":"0","tax_treatment":"exempt","net":"20.00","tax":"0.00"},` +
		`{"rate":"0","tax_treatment":"reverse_charge","net":"30.00","tax":"0.00"},` +
		`{"rate":"23","tax_treatment":"standard","net":"10.00","tax":"2.30"}]`; !strings.Contains(all.Body, want) {
		t.Errorf("no %s in %v", want, all)
	}
	for file, want := range map[string][]string{
		path + "/pdf":   {"Exempt on 20.00", "Tax 23% on 10.00", reasons[4], reasons[5]},
		credit + "/pdf": {"Reverse charge on 30.00", reasons[5]},
	} {
		text := readPDF(b, person.Get(file))
		for _, want := range want {
			assert.Thatf(t, strings.Contains(text, want), "%s does not say %q:\n%s", file, want, text)
		}
	}
	for _, want := range append(reasons[4:], ">VATEX-EU-AE<") {
		a := program.Get(address + "/ubl")
		assert.Thatf(t, strings.Contains(a.Body, want), "no %s in %v", want, a)
	}
}

// TestHistoryOfTreatments: a treatment changes the lines, and the reason has its name.
func TestHistoryOfTreatments(t *testing.T) {
	b := sitetest.Setup(t)
	made := b.Program(b.Replica, b.Acme).With("Idempotency-Key", "draft").Post("/api/v1/invoices", `{
		"customer": {"email": "ada@example.com", "name": "Ada"}, "currency": "EUR", "issue_date": "2026-11-21", "due_date": "2026-12-21",
		"lines": [{"description": "Tea", "quantity": "1", "unit_price": "2.00", "tax_rate": "0"}]}`)
	e := b.Opened(made.Location())
	e.Save(e.First, "first", "line_tax_treatment", "exempt", "exemption_reason", "Article 132")
	b.Page(e.Save(e.Second, "second", "line_tax_treatment", "export", "notes", "Thanks")).
		Says("You both changed the same fields.", "Line 1 Changed by both", "tax 0% · Exempt", "tax 0% · Export")
	b.Page(b.Person(b.Replica, b.Acme).Get(strings.TrimPrefix(made.Location(), "/api/v1"))).
		Says("Reason for the exemption set to Article 132 Lines changed")
}
