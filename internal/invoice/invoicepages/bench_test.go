package invoicepages

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/uuid"

	"onlyonce/internal/invoice"
	"onlyonce/templates"
	"onlyonce/templates/invoiceviews"
)

const benchInvoice = `{"number":"2026-0042","customer":{"email":"ada@example.com","name":"Ada"},"issue_date":"2026-11-21",
	"due_date":"2026-12-21","currency":"EUR","lines":[
	{"description":"Design","quantity":"2","unit_price":"50.00","tax_rate":"23"},
	{"description":"Build","quantity":"1.5","unit_price":"80.00","tax_rate":"23"},
	{"description":"Support","quantity":"3","unit_price":"20.00","tax_rate":"8"}]}`

func benchDecode(b *testing.B) invoice.Draft {
	b.Helper()
	r := httptest.NewRequest(http.MethodPost, "/api/v1/invoices", strings.NewReader(benchInvoice))
	r.Header.Set("Content-Type", "application/json")
	draft, err := draftOfJSON(r)
	if err != nil {
		b.Fatal(err)
	}
	return draft
}

func BenchmarkDecode(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		benchDecode(b)
	}
}

func BenchmarkRenderList(b *testing.B) {
	b.ReportAllocs()
	var list invoiceviews.InvoiceList
	for n := range 25 {
		list.Rows = append(list.Rows, invoiceviews.InvoiceRow{
			Href: "/invoices/" + uuid.NewString(), Number: fmt.Sprintf("2026-%04d", n), Customer: "Northwind Traders",
			Status: "draft", IssueDate: "21 Nov 2026", DueDate: "21 Dec 2026", Total: "1,234.56 EUR",
		})
	}
	page := invoiceviews.InvoiceListPage(templates.Page{Tenant: "Acme", User: "ada@example.com"}, list)
	for b.Loop() {
		w := httptest.NewRecorder()
		if err := page.Render(b.Context(), w); err != nil || w.Body.Len() < 1000 {
			b.Fatal(w.Body.Len(), err)
		}
	}
}
