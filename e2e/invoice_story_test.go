package e2e

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/ledongthuc/pdf"
	"github.com/playwright-community/playwright-go"

	"onlyonce/internal/assert"
)

// A business from its settings to its books. At each step the pages and the file show the earlier input, and in the end the sums of
// the ledger.
func TestStory(t *testing.T) {
	onlyHere(t, "it changes the settings of the business, and compares its books")
	t.Parallel()
	inEach(t, widths, func(v variant) {
		s := start(v.T, v.in)
		step := 0
		look := func(where string) {
			s.t.Helper()
			step++
			// TestAccessibility already runs axe on these pages.
			views := []view{{"dark", 0, inDark, sideways}, {"light", 0, inLight, sideways}}
			s.isAccessibleIn(views, fmt.Sprintf("%02d %s", step, where))
		}
		s.login()
		s.open("/")

		s.follow(linkSettings)
		look("settings")
		s.follow(linkEdit)
		s.fill(fieldLegalName, "Acme Studio Limited")
		s.fill(fieldAddress, "12 Dame Street\nDublin 2")
		s.fill(fieldIBANOrAccountNumber, "IE29 AIBK 9311 5212 3456 78")
		look("settings form")
		s.click(buttonSaveChanges)
		s.sees(saved("Acme Studio Limited"))
		look("settings saved")

		s.follow(linkCustomers)
		s.follow(linkNewCustomer)
		s.fill(fieldEmail, "grace@example.test")
		s.fill(fieldName, "Grace Hopper")
		s.fill(fieldAddress, "3 Navy Yard\nArlington")
		s.choose(fieldCountry, 1)
		look("customer form")
		s.click(buttonCreateCustomer)
		s.seesHeading("Grace Hopper")
		s.sees("3 Navy Yard")
		look("customer")
		customer := s.page.URL()

		s.follow(linkNewInvoice)
		number := s.suggestion()
		s.fillLine(1, "Design", "2", "50.00", "23")
		look("invoice form")
		s.create()
		s.seesInvoice(number, created(number))
		look("invoice draft")
		s.editInvoice()
		s.click(buttonAddALine)
		s.fillLine(2, "Hosting", "12", "9.90", "23")
		s.fill(fieldNotes, "Thank you.")
		look("invoice edited")
		s.click(buttonSaveChanges)
		s.sees("Total changed from 123.00 EUR to 269.12 EUR")
		look("invoice draft saved")
		s.issue()
		s.sees(issued(number))
		s.reopen()
		look("invoice issued")
		invoice := s.page.URL()

		name, file := s.download(linkDownloadPDF)
		assert.Thatf(v, name == "Invoice-"+number+".pdf", "the file is called %q", name)
		s.check(expect.Page(s.page).ToHaveURL(invoice), "stay on the page")
		s.saysInPDF(file, "Invoice "+number, "Acme Studio Limited", "12 Dame Street", "IE29 AIBK 9311 5212 3456 78",
			"Grace Hopper", "3 Navy Yard", "grace@example.test", "Hosting", "Total EUR", "269.12")

		s.until("no mail waits", func() bool { return s.count(`SELECT count(*) FROM mails WHERE state = 'queued'`) == 0 })
		s.follow(linkOutbox)
		look("outbox")
		s.follow(number + " to grace@example.test")
		s.sees("Here is our invoice " + number)
		s.sees("Total: 269.12 EUR")
		s.sees(saysInvoiceAttached)
		look("mail")

		s.open(invoice)
		s.pay()
		s.fill(fieldAmountInEUR, "100.00")
		look("payment form")
		s.click(buttonRecordPayment)
		s.sees("100.00 of 269.12 paid.")
		look("invoice partially paid")
		s.pay()
		s.holds(fieldAmountInEUR, "169.12")
		s.click(buttonRecordPayment)
		s.sees(saysNothingIsOpen)
		look("invoice paid")
		s.follow(linkRefund("100.00"))
		look("refund form")
		s.click(buttonRecordRefund)
		s.sees("169.12 of 269.12 paid.")
		s.follow(linkCredit)
		s.fillIn("Line 1: Design", "Quantity", "1")
		s.fillIn("Line 2: Hosting", "Quantity", "")
		look("credit note form")
		s.click(buttonCreateCreditNote)
		s.sees("61.50")
		s.sees("12 Dame Street")
		s.sees("3 Navy Yard")
		look("credit note")

		s.open(invoice)
		s.follow(linkCopyAsNew)
		copied := s.suggestion()
		s.create()
		s.sees(created(copied))
		s.issue()
		s.sees(issued(copied))
		s.reopen()
		s.void()
		s.sees(voided(copied))
		look("invoice void")

		s.open(invoice)
		s.seesBooksOf(number)
		look("invoice in the end")
		s.open(customer)
		s.seesInStrip("open", openByBooks+` AND i.number = $2`, "Acme Studio", number)
		look("customer in the end")
		s.follow(linkInvoices)
		s.seesInStrip("open", openByBooks, "Acme Studio")
		s.seesInStrip("paid", paidByBooks, "Acme Studio")
		look("invoices in the end")
	})
}

// seesBooksOf checks that the page of an invoice shows the sums of its postings.
func (s *session) seesBooksOf(number string) {
	s.t.Helper()
	for label, sum := range map[string]string{
		"Paid":     `sum(p.amount) FILTER (WHERE kind IN ('payment', 'refund', 'removal', 'to_credit'))`,
		"Credited": `sum(p.amount) FILTER (WHERE kind = 'credit')`,
		"Open":     `i.total - sum(p.amount)`,
	} {
		want := s.money(`
			SELECT `+sum+`
			FROM invoices i JOIN tenants t ON t.id = i.tenant_id JOIN postings p ON (p.tenant_id, p.invoice_id) = (i.tenant_id, i.id)
			WHERE t.name = 'Acme Studio' AND i.number = $1 GROUP BY i.total`, number)
		row := s.page.Locator(".totals > div").Filter(playwright.LocatorFilterOptions{
			HasText: regexp.MustCompile(`^\s*` + label + `( EUR)?\s*[0-9]`),
		})
		s.check(expect.Locator(row.Locator("dd")).ToHaveText(want), label+" is "+want)
	}
}

// The open amount of a tenant, the first argument, and its payments of this month, in EUR, from the postings alone. A refund counts
// in its own month, independent of its payment's.
const (
	openByBooks = `
		SELECT sum(i.total - (SELECT COALESCE(sum(p.amount), 0) FROM postings p WHERE (p.tenant_id, p.invoice_id) = (i.tenant_id, i.id)))
		FROM invoices i JOIN tenants t ON t.id = i.tenant_id
		WHERE t.name = $1 AND i.currency = 'EUR' AND i.status = 'issued'`
	paidByBooks = `
		SELECT sum(p.amount)
		FROM postings p LEFT JOIN refunds f ON f.id = p.source_id JOIN payments ON payments.id = COALESCE(f.payment_id, p.source_id)
			JOIN invoices i ON i.id = p.invoice_id JOIN tenants t ON t.id = i.tenant_id
		WHERE t.name = $1 AND i.currency = 'EUR' AND
			date_trunc('month', COALESCE(f.refunded_on, paid_on)) = date_trunc('month', now() AT TIME ZONE 'UTC')`
)

// seesInStrip checks that a sum in EUR above a list equals the result of a query.
func (s *session) seesInStrip(kind, query string, args ...any) {
	s.t.Helper()
	want := s.money(query, args...) + " EUR"
	sums := s.page.Locator(".strip ."+kind+" .amount", playwright.PageLocatorOptions{HasText: "EUR"})
	s.check(expect.Locator(sums).ToHaveText(want), kind+" is "+want)
}

// money returns a sum of cents in the format of the pages.
func (s *session) money(query string, args ...any) (shown string) {
	s.t.Helper()
	err := s.db.QueryRow(s.t.Context(), `SELECT to_char((`+query+`) / 100.0, 'FM999,999,990.00')`, args...).Scan(&shown)
	s.check(err, "sum up the books")
	return shown
}

// fillIn fills a field in a group, where several groups have a field with that name.
func (s *session) fillIn(group, label, text string) {
	s.t.Helper()
	field := s.page.GetByRole("group", playwright.PageGetByRoleOptions{Name: group}).GetByLabel(label)
	s.check(field.Fill(text), "fill "+label+" in "+group)
}

// download follows a link to a file, and returns the name that the browser saves it under.
func (s *session) download(link string) (name string, content []byte) {
	s.t.Helper()
	download, err := s.page.ExpectDownload(func() error { return s.link(link).Click() })
	s.check(err, "download the file")
	path, err := download.Path()
	s.check(err, "wait for the file")
	if !inChromium() { // Firefox saves it under its name, and Playwright looks for another one
		answer, err := s.browser.Request().Get(download.URL())
		s.check(err, "fetch the file again")
		content, err = answer.Body()
		s.check(err, "read the file")
		return download.SuggestedFilename(), content
	}
	content, err = os.ReadFile(path)
	s.check(err, "read the file")
	return download.SuggestedFilename(), content
}

func (s *session) saysInPDF(file []byte, texts ...string) {
	s.t.Helper()
	r, err := pdf.NewReader(bytes.NewReader(file), int64(len(file)))
	s.check(err, "open the file")
	var all strings.Builder
	for i := range r.NumPage() {
		text, err := r.Page(i + 1).GetPlainText(nil)
		s.check(err, "read a page of the file")
		all.WriteString(text)
	}
	for _, text := range texts {
		assert.Thatf(s.t, strings.Contains(all.String(), text), "the file has no text %q:\n%s", text, all.String())
	}
}
