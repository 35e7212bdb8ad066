package invoicepages_test

import (
	"net/http"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/invoice/invoicecases"
	"onlyonce/internal/invoice/pdf/pdftest"
	"onlyonce/internal/must"
	"onlyonce/internal/people/peoplecases"
	"onlyonce/internal/site/sitetest"
)

// TestInvoicePDF: people and programs get the same file of an invoice, in each of its states.
func TestInvoicePDF(t *testing.T) {
	b := sitetest.Setup(t)
	person, program := b.Person(b.Replica, b.Acme), b.Program(b.Replica, b.Acme)
	of := invoicecases.Invoices()
	address := program.Create(of, sitetest.Key, sitetest.Change(of.Command, "number", "2026/07 A")).
		Location()
	page := strings.TrimPrefix(address, "/api/v1")
	for _, state := range []struct{ verb, mark string }{{"", "DRAFT"}, {"issue", ""}, {"void", "VOID"}} {
		if state.verb != "" {
			program.Post(address+"/"+state.verb, "").Want(t, http.StatusOK)
		}
		file := program.Get(address + "/pdf")
		for name, want := range map[string]string{
			"Content-Type": "application/pdf", "Cache-Control": "private, no-cache",
			"Content-Disposition": "attachment; filename=Invoice-2026-07-A.pdf", "X-Content-Type-Options": "nosniff",
		} {
			got := file.Header.Get(name)
			assert.Thatf(t, file.Status == http.StatusOK && got == want, "%d %s: %q, want %q", file.Status, name, got, want)
		}
		if other := person.Get(page + "/pdf"); other.Body != file.Body {
			t.Errorf("%s: a person gets another file, of %d bytes and not %d", state.mark, len(other.Body), len(file.Body))
		}
		text := readPDF(b, file)
		for _, want := range []string{
			"Invoice 2026/07 A", "Acme", "Ada Lovelace", "ada@example.com", "21 Nov 2026", "21 Dec 2026", "Design", "7.99", "6.5%",
			"111.99", "Tax 23% on 100.00", "Total EUR\n135.77", "Thank you & <soon>", "Page 1 of 1",
		} {
			assert.Thatf(t, strings.Contains(text, want), "the file does not say %q:\n%s", want, text)
		}
		for _, mark := range []string{"DRAFT", "VOID"} {
			assert.Thatf(t, strings.Contains(text, mark) == (mark == state.mark), "mark %q:\n%s", state.mark, text)
		}
	}
	b.Page(person.Get(page)).LeadsTo(page + "/pdf")
}

// TestIssuedInvoiceKeepsItsBytes: neither a change of the customer or the open amount nor a restart changes the PDF.
func TestIssuedInvoiceKeepsItsBytes(t *testing.T) {
	b := sitetest.Setup(t)
	program := b.Program(b.Replica, b.Acme)
	address := program.Create(invoicecases.Invoices(), sitetest.Key, invoicecases.Invoices().Command).Location()
	program.Post(address+"/issue", "")
	before := program.Get(address + "/pdf")
	before.Want(t, http.StatusOK)
	customer := "/api/v1/customers/" + sitetest.Get[string](b, `SELECT id::text FROM customers`)
	renamed := program.With("If-Match", program.Get(customer).Header.Get("ETag"))
	for _, a := range []sitetest.Answer{
		renamed.Must(renamed.Send(t.Context(), http.MethodPut, customer, `{"email": "king@example.com", "name": "Ada King"}`)),
		program.With("Idempotency-Key", "payment").Post(address+"/payments", `{"amount": "1.00", "date": "2026-11-22", "method": "cash"}`),
	} {
		must.Thatf(t, a.Status < 300, "%v", a)
	}
	for _, at := range []*sitetest.Replica{b.Replica, b.Serve()} {
		if after := b.Program(at, b.Acme).Get(address + "/pdf"); after.Body != before.Body {
			t.Errorf("the file of %d bytes became another one of %d: %v", len(before.Body), len(after.Body), after.Header)
		}
	}
}

// TestEInvoice: an issued invoice has an e-invoice with the open amount, unless it was issued without required data.
func TestEInvoice(t *testing.T) {
	b := sitetest.Setup(t)
	person, program := b.Person(b.Replica, b.Acme), b.Program(b.Replica, b.Acme)
	address := program.Create(invoicecases.Invoices(), sitetest.Key, invoicecases.Invoices().Command).Location()
	page := strings.TrimPrefix(address, "/api/v1")
	refused := func(address, problem, text string) {
		t.Helper()
		page := strings.TrimPrefix(address, "/api/v1")
		if a := program.Get(address + "/ubl"); a.Status != http.StatusConflict || !strings.Contains(a.Body, "/problems/"+problem) {
			t.Error(a)
		}
		if a := person.Get(page + "/ubl"); a.Status != http.StatusConflict {
			t.Error(a)
		} else {
			b.Page(a).Says(text).LeadsTo(page)
		}
	}
	incomplete := program.Create(invoicecases.Invoices(), "incomplete", invoicecases.Invoices().Command).Location()
	program.Post(incomplete+"/issue", "")
	refused(incomplete, "e-invoice-incomplete", "It was issued without your country, your tax ID and the customer's country.")
	b.Exec(`UPDATE settings SET country = 'IE', tax_id = 'IE6388047V'`)
	b.Exec(`UPDATE customers SET country = 'IE'`)
	says := func(texts ...string) string {
		t.Helper()
		a := program.Get(address + "/ubl")
		if a.Status != http.StatusOK || a.Header.Get("Content-Type") != "application/xml" || person.Get(page+"/ubl").Body != a.Body {
			t.Error(a)
		}
		for _, text := range texts {
			assert.Thatf(t, strings.Contains(a.Body, text), "no %s in\n%s", text, a.Body)
		}
		return a.Body
	}
	refused(address, "not-issued", "This invoice isn't issued.")
	program.Post(address+"/issue", "")
	b.Page(person.Get(page)).LeadsTo(page + "/ubl")
	issued := says(">2026-0001<", ">Acme<", ">Ada Lovelace<",
		`PrepaidAmount currencyID="EUR">0.00<`, `PayableAmount currencyID="EUR">135.77<`)
	assert.Equal(t, says(), issued, "other bytes")
	program.With("Idempotency-Key", "payment").Post(address+"/payments", `{"amount": "35.77", "date": "2026-11-22", "method": "cash"}`)
	assert.Equal(t, says(), issued, "after a payment")
	program.Post(incomplete+"/void", "")
	refused(incomplete, "not-issued", "This invoice isn't issued.")
}

// TestCreditNoteAsPDF: people and programs get the same file, with the text of the page, also after the business has changed.
func TestCreditNoteAsPDF(t *testing.T) {
	b := sitetest.Setup(t)
	program, person := b.Program(b.Replica, b.Acme), b.Person(b.Replica, b.Acme)
	of := invoicecases.CreditNotes()
	of.Parent.ID = b.Prepared(b.Acme, "invoice", invoicecases.Invoices(), invoicecases.Invoices().Command, "issue").ID
	address := program.Create(of, sitetest.Key, of.Command).Location()
	a := program.Get(address + "/pdf")
	if a.Header.Get("Content-Type") != "application/pdf" || !strings.Contains(a.Header.Get("Content-Disposition"), "Credit-note-CN-") {
		t.Fatal(a)
	}
	shown := readPDF(b, a)
	for _, want := range []string{
		"Credit note CN-", "Credits invoice", "2026-0001 of 21 Nov 2026", "Ada Lovelace", "Acme", "Total credited",
	} {
		assert.Thatf(t, strings.Contains(shown, want), "the file does not say %q:\n%s", want, shown)
	}
	note := sitetest.Decode[struct {
		Total string `json:"total"`
	}](b, program.Get(address))
	assert.Thatf(t, strings.Contains(shown, "Total credited EUR\n"+note.Total), "the file has no total %s:\n%s", note.Total, shown)
	b.Program(b.Replica, b.Acme).Create(peoplecases.Settings(), "business", peoplecases.Settings().Command)
	page := strings.TrimPrefix(address, "/api/v1")
	b.Page(person.Get(page)).LeadsTo(page + "/pdf")
	again := person.Get(page + "/pdf")
	assert.Thatf(t, again.Body == a.Body, "other bytes")
}

// readPDF returns the text of a PDF.
func readPDF(b *sitetest.Bundle, a sitetest.Answer) string {
	b.Helper()
	return strings.Join(pdftest.Pages(b, []byte(a.Body)), "")
}
