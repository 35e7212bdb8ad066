package site_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	reader "github.com/ledongthuc/pdf"
)

// TestInvoicePDF: people and programs get the same file of an invoice, in each of its states.
func TestInvoicePDF(t *testing.T) {
	b := setup(t)
	person, program := b.person(b.replica, b.acme), b.program(b.replica, b.acme)
	address := program.create(invoices(), key, change(invoices().command, "number", "2026/07 A")).location()
	page := strings.TrimPrefix(address, "/api/v1")
	for _, state := range []struct{ verb, mark string }{{"", "DRAFT"}, {"issue", ""}, {"void", "VOID"}} {
		if state.verb != "" {
			if a := program.post(address+"/"+state.verb, ""); a.status != http.StatusOK {
				t.Fatal(a)
			}
		}
		if a := program.get(address + "/ubl"); (a.status == http.StatusOK) != (state.mark == "") { // drafts and void invoices have none
			t.Errorf("%s: %v", state.mark, a)
		}
		file := program.get(address + "/pdf")
		for name, want := range map[string]string{
			"Content-Type": "application/pdf", "Cache-Control": "private, no-cache",
			"Content-Disposition": "attachment; filename=Invoice-2026-07-A.pdf", "X-Content-Type-Options": "nosniff",
		} {
			if got := file.header.Get(name); file.status != http.StatusOK || got != want {
				t.Errorf("%d %s: %q, want %q", file.status, name, got, want)
			}
		}
		if other := person.get(page + "/pdf"); other.body != file.body {
			t.Errorf("%s: a person gets another file, of %d bytes and not %d", state.mark, len(other.body), len(file.body))
		}
		text := b.readPDF(file)
		for _, want := range []string{
			"Invoice 2026/07 A", "Acme", "Ada Lovelace", "ada@example.com", "21 Nov 2026", "21 Dec 2026", "Design", "7.99", "6.5%",
			"111.99", "Tax 23% on 100.00", "EUR 135.77", "Thank you & <soon>", "Page 1 of 1",
		} {
			if !strings.Contains(text, want) {
				t.Errorf("the file does not say %q:\n%s", want, text)
			}
		}
		for _, mark := range []string{"DRAFT", "VOID"} {
			if strings.Contains(text, mark) != (mark == state.mark) {
				t.Errorf("mark %q:\n%s", state.mark, text)
			}
		}
	}
	b.page(person.get(page)).leadsTo(page + "/pdf")
}

// TestIssuedInvoiceKeepsItsBytes: neither a change of the customer or the open amount nor a restart changes the PDF.
func TestIssuedInvoiceKeepsItsBytes(t *testing.T) {
	b := setup(t)
	program := b.program(b.replica, b.acme)
	address := program.create(invoices(), key, invoices().command).location()
	program.post(address+"/issue", "")
	before := program.get(address + "/pdf")
	if before.status != http.StatusOK {
		t.Fatal(before)
	}
	customer := "/api/v1/customers/" + get[string](b, `SELECT id::text FROM customers`)
	renamed := program.with("If-Match", program.get(customer).header.Get("ETag"))
	for _, a := range []answer{
		renamed.must(renamed.send(t.Context(), http.MethodPut, customer, `{"email": "king@example.com", "name": "Ada King"}`)),
		program.with("Idempotency-Key", "payment").post(address+"/payments", `{"amount": "1.00", "date": "2026-11-22", "method": "cash"}`),
	} {
		if a.status >= 300 {
			t.Fatal(a)
		}
	}
	for _, at := range []*replica{b.replica, b.serve()} {
		if after := b.program(at, b.acme).get(address + "/pdf"); after.body != before.body {
			t.Errorf("the file of %d bytes became another one of %d: %v", len(before.body), len(after.body), after.header)
		}
	}
}

// TestEInvoice: an issued invoice has an e-invoice with the open amount.
func TestEInvoice(t *testing.T) {
	b := setup(t)
	person, program := b.person(b.replica, b.acme), b.program(b.replica, b.acme)
	address := program.create(invoices(), key, invoices().command).location()
	page := strings.TrimPrefix(address, "/api/v1")
	refused := func() {
		t.Helper()
		if a := program.get(address + "/ubl"); a.status != http.StatusConflict || !strings.Contains(a.body, "/problems/not-issued") {
			t.Error(a)
		}
		if a := person.get(page + "/ubl"); a.status != http.StatusConflict {
			t.Error(a)
		} else {
			b.page(a).says("This invoice isn't issued.").leadsTo(page)
		}
	}
	says := func(texts ...string) string {
		t.Helper()
		a := program.get(address + "/ubl")
		if a.status != http.StatusOK || a.header.Get("Content-Type") != "application/xml" || person.get(page+"/ubl").body != a.body {
			t.Error(a)
		}
		for _, text := range texts {
			if !strings.Contains(a.body, text) {
				t.Errorf("no %s in\n%s", text, a.body)
			}
		}
		return a.body
	}
	refused()
	program.post(address+"/issue", "")
	issued := says(">2026-0001<", ">Acme<", ">Ada Lovelace<",
		`PrepaidAmount currencyID="EUR">0.00<`, `PayableAmount currencyID="EUR">135.77<`)
	if again := says(); again != issued {
		t.Errorf("other bytes:\n%s", again)
	}
	program.with("Idempotency-Key", "payment").post(address+"/payments", `{"amount": "35.77", "date": "2026-11-22", "method": "cash"}`)
	says(`PrepaidAmount currencyID="EUR">35.77<`, `PayableAmount currencyID="EUR">100.00<`)
}

// TestCreditNoteAsPDF: people and programs get the same file, with the text of the page, also after the business has changed.
func TestCreditNoteAsPDF(t *testing.T) {
	b := setup(t)
	program, person := b.program(b.replica, b.acme), b.person(b.replica, b.acme)
	of := creditNotes()
	of.parent.id = b.prepared(b.acme, "invoice", invoices(), invoices().command, "issue").ID
	address := program.create(of, key, of.command).location()
	a := program.get(address + "/pdf")
	if a.header.Get("Content-Type") != "application/pdf" || !strings.Contains(a.header.Get("Content-Disposition"), "Credit-note-CN-") {
		t.Fatal(a)
	}
	shown := b.readPDF(a)
	for _, want := range []string{
		"Credit note CN-", "Credit to", "Credits invoice", "2026-0001", "Ada Lovelace", "Acme", "Total credited",
	} {
		if !strings.Contains(shown, want) {
			t.Errorf("the file does not say %q:\n%s", want, shown)
		}
	}
	note := decode[struct {
		Total string `json:"total"`
	}](b, program.get(address))
	if !strings.Contains(shown, "EUR "+note.Total) {
		t.Errorf("the file has no total %s:\n%s", note.Total, shown)
	}
	b.program(b.replica, b.acme).create(settings(), "business", settings().command)
	page := strings.TrimPrefix(address, "/api/v1")
	b.page(person.get(page)).leadsTo(page + "/pdf")
	if again := person.get(page + "/pdf"); again.body != a.body {
		t.Error("other bytes")
	}
}

// readPDF returns the text of a PDF.
func (b *bundle) readPDF(a answer) string {
	b.Helper()
	r, err := reader.NewReader(bytes.NewReader([]byte(a.body)), int64(len(a.body)))
	if err != nil {
		b.Fatalf("%v: %v", err, a)
	}
	var all strings.Builder
	for i := range r.NumPage() {
		text, err := r.Page(i + 1).GetPlainText(nil)
		if err != nil {
			b.Fatal(err)
		}
		all.WriteString(text)
	}
	return all.String()
}
