package invoiceviews_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"golang.org/x/net/html"

	"onlyonce/internal/assert"
	"onlyonce/internal/must"
	"onlyonce/internal/value/money"
	"onlyonce/templates"
	"onlyonce/templates/invoiceviews"
	"onlyonce/templates/viewtest"
)

// TestPagesStaySmall checks the compressed size of large pages. All rows differ, because equal rows would compress too well.
func TestPagesStaySmall(t *testing.T) {
	t.Parallel()
	const budget = 14 << 10
	form := typedForm()
	for _, code := range money.Currencies() {
		form.Currencies = append(form.Currencies, invoiceviews.Currency{Code: code, Digits: 2})
	}
	for n := range 200 {
		label := fmt.Sprint("Northwind Traders ", n*n)
		form.Customers = append(form.Customers, templates.Option{Value: uuid.NewString() + " " + label, Text: label})
	}
	var list invoiceviews.InvoiceList
	for n := range 50 {
		form.Lines = append(form.Lines, invoiceviews.InvoiceFormLine{
			Description: fmt.Sprint("Design, part ", n), Quantity: strconv.Itoa(n), UnitPrice: fmt.Sprint(n*n, ".50"), TaxRate: "23",
		})
		list.Rows = append(list.Rows, invoiceviews.InvoiceRow{
			Href: "/invoices/" + uuid.NewString(), Number: fmt.Sprintf("2026-%04d", n), Customer: fmt.Sprint("Northwind Traders ", n*n),
			IssueDate: fmt.Sprint(1+n%28, " Nov 2026"), DueDate: fmt.Sprint(1+n%28, " Dec 2026"),
			Status: "issued", Total: fmt.Sprint(n*n, ".40 EUR"),
		})
	}
	for name, page := range map[string]templ.Component{
		"form": invoiceviews.InvoiceFormPage(viewtest.Blank(), form), "list": invoiceviews.InvoiceListPage(viewtest.Blank(), list),
	} {
		var zipped bytes.Buffer
		zw := gzip.NewWriter(&zipped)
		must.OK(t, page.Render(t.Context(), zw))
		must.OK(t, zw.Close())
		assert.Thatf(t, zipped.Len() <= budget, "%s: %d bytes, the budget is %d", name, zipped.Len(), budget)
	}
}

// TestStampOnPaper checks that an invoice that is a draft or void has a stamp, and no other one.
func TestStampOnPaper(t *testing.T) {
	t.Parallel()
	for status, want := range map[string]string{"draft": "Draft", "void": "Void", "issued": "", "paid": ""} {
		doc := viewtest.Parse(t, invoiceviews.InvoicePage(viewtest.Blank(), invoiceviews.Invoice{Status: status}))
		got := ""
		stamp := viewtest.Find(doc, func(n *html.Node) bool { return strings.HasPrefix(viewtest.Attr(n, "class"), "stamp") })
		if stamp != nil {
			got = viewtest.Text(stamp)
		}
		assert.Thatf(t, got == want, "%s: the stamp says %q, want %q", status, got, want)
	}
}

// TestStandingNamesWhatThereIs checks that an invoice without payments or credits doesn't show them as zero.
func TestStandingNamesWhatThereIs(t *testing.T) {
	t.Parallel()
	for _, of := range []struct{ status, paid, credited, off, want string }{
		{"issued", "", "", "", "Due 24 Dec 2026."},
		{"issued", "50.00", "", "", "50.00 of 123.00 paid. Due 24 Dec 2026."},
		{"issued", "", "61.50", "", "61.50 of 123.00 credited. Due 24 Dec 2026."},
		{"issued", "50.00", "61.50", "", "50.00 of 123.00 paid. 61.50 credited. Due 24 Dec 2026."},
		{"issued", "", "", "10.00", "10.00 of 123.00 written off. Due 24 Dec 2026."},
		{"paid", "122.97", "", "0.03", "0.03 written off. Nothing is open."},
		{"written_off", "40.00", "", "83.00", "40.00 paid. Nothing is open."},
	} {
		doc := viewtest.Parse(t, invoiceviews.InvoicePage(viewtest.Blank(), invoiceviews.Invoice{
			Status: of.status, DueDate: "24 Dec 2026", Total: "123.00", Paid: of.paid, Credited: of.credited, WrittenOff: of.off, Open: "x",
		}))
		note := viewtest.Find(doc, func(n *html.Node) bool { return viewtest.Attr(n, "class") == "note" })
		assert.Equal(t, viewtest.Text(note), of.want, of, "the page says")
	}
}
