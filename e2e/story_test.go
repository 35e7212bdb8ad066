package e2e

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/playwright-community/playwright-go"
)

// A business from its settings to its books: what the pages and the file say at each step is what was typed before,
// and in the end what the ledger adds up to.
func TestStory(t *testing.T) {
	t.Parallel()
	for name, width := range widths {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, width)
			step := 0
			look := func(where string) {
				s.t.Helper()
				step++
				s.isAccessibleIn([]theme{dark, light}, fmt.Sprintf("%02d %s", step, where))
			}
			s.login()

			s.follow("Settings")
			look("settings")
			s.follow("Edit")
			s.fill("Legal name", "Acme Studio Limited")
			s.fill("Address (optional)", "12 Dame Street\nDublin 2")
			s.fill("IBAN or account number (optional)", "IE29 AIBK 9311 5212 3456 78")
			look("settings form")
			s.click("Save changes")
			s.sees("Changes to Acme Studio Limited saved.")
			look("settings saved")

			s.follow("Customers")
			s.follow("New customer")
			s.fill("Email", "grace@example.test")
			s.fill("Name", "Grace Hopper")
			s.fill("Address (optional)", "3 Navy Yard\nArlington")
			s.choose("Country (optional)", 1)
			look("customer form")
			s.click("Create customer")
			s.seesHeading("Grace Hopper")
			s.sees("3 Navy Yard")
			look("customer")
			customer := s.page.URL()

			s.follow("New invoice")
			number := s.suggestion()
			s.fillLine(1, "Design", "2", "50.00", "23")
			look("invoice form")
			s.create()
			s.seesInvoice(number, created(number))
			look("invoice draft")
			s.editInvoice()
			s.click("Add a line")
			s.fillLine(2, "Hosting", "12", "9.90", "23")
			s.fill("Notes", "Thank you.")
			look("invoice edited")
			s.click("Save changes")
			s.sees("Total changed from 123.00 EUR to 269.12 EUR")
			look("invoice draft saved")
			s.click("Issue invoice")
			s.sees("Invoice " + number + " issued.")
			s.reopen()
			look("invoice issued")
			invoice := s.page.URL()

			_, file := s.download("Download PDF")
			s.saysInPDF(file, "Invoice "+number, "Acme Studio Limited", "12 Dame Street", "IE29 AIBK 9311 5212 3456 78",
				"Grace Hopper", "3 Navy Yard", "grace@example.test", "Hosting", "EUR 269.12")

			s.until("no mail waits", func() bool { return s.count(`SELECT count(*) FROM mails WHERE state = 'queued'`) == 0 })
			s.follow("Outbox")
			look("outbox")
			s.follow(number + " to grace@example.test")
			s.sees("Acme Studio Limited has sent you the invoice " + number)
			s.sees("Total: 269.12 EUR")
			s.sees("The invoice is attached as a PDF file.")
			look("mail")

			s.open(invoice)
			s.pay()
			s.fill("Amount in EUR", "100.00")
			look("payment form")
			s.click("Record payment")
			s.sees("100.00 of 269.12 paid.")
			look("invoice partially paid")
			s.pay()
			s.holds("Amount in EUR", "169.12")
			s.click("Record payment")
			s.sees("Nothing is open.")
			look("invoice paid")
			s.follow("Refund 100.00 EUR of it")
			look("refund form")
			s.click("Record refund")
			s.sees("169.12 of 269.12 paid.")
			s.follow("Credit")
			s.fillIn("Line 1: Design", "Quantity", "1")
			s.fillIn("Line 2: Hosting", "Quantity", "")
			look("credit note form")
			s.click("Create credit note")
			s.sees("EUR 61.50")
			s.sees("12 Dame Street")
			s.sees("3 Navy Yard")
			look("credit note")

			s.open(invoice)
			s.follow("Copy as new")
			copied := s.suggestion()
			s.create()
			s.sees(created(copied))
			s.click("Issue invoice")
			s.sees("Invoice " + copied + " issued.")
			s.reopen()
			s.click("Void")
			s.sees("Invoice " + copied + " voided.")
			look("invoice void")

			s.open(invoice)
			s.seesBooksOf(number)
			look("invoice in the end")
			s.open(customer)
			s.seesInStrip("open", openByBooks+` AND i.number = $2`, "Acme Studio", number)
			look("customer in the end")
			s.follow("Invoices")
			s.seesInStrip("open", openByBooks, "Acme Studio")
			s.seesInStrip("paid", paidByBooks, "Acme Studio")
			look("invoices in the end")
		})
	}
}

// seesBooksOf holds that the page of an invoice shows what its postings add up to.
func (s *session) seesBooksOf(number string) {
	s.t.Helper()
	for label, sum := range map[string]string{
		"Paid": `sum(p.amount) FILTER (WHERE kind <> 'credit')`, "Credited": `sum(p.amount) FILTER (WHERE kind = 'credit')`,
		"Open": `i.total - sum(p.amount)`,
	} {
		want := s.money(`
			SELECT `+sum+`
			FROM invoices i JOIN tenants t ON t.id = i.tenant_id JOIN postings p ON (p.tenant_id, p.invoice_id) = (i.tenant_id, i.id)
			WHERE t.name = 'Acme Studio' AND i.number = $1 GROUP BY i.total`, number)
		row := s.page.Locator(".totals > div").Filter(playwright.LocatorFilterOptions{
			Has: s.page.GetByText(label, playwright.PageGetByTextOptions{Exact: new(true)}),
		})
		s.check(expect.Locator(row.Locator("dd")).ToHaveText(regexp.MustCompile(`^(EUR )?`+regexp.QuoteMeta(want)+`$`)), label+" is "+want)
	}
}

// What a tenant, the first argument, has open and was paid this month, in EUR, by the postings alone. A refund
// takes something off its payment, whenever that was.
const (
	openByBooks = `
		SELECT sum(i.total - (SELECT COALESCE(sum(p.amount), 0) FROM postings p WHERE (p.tenant_id, p.invoice_id) = (i.tenant_id, i.id)))
		FROM invoices i JOIN tenants t ON t.id = i.tenant_id
		WHERE t.name = $1 AND i.currency = 'EUR' AND i.status = 'issued'`
	paidByBooks = `
		SELECT sum(p.amount)
		FROM postings p LEFT JOIN refunds f ON f.id = p.source_id JOIN payments ON payments.id = COALESCE(f.payment_id, p.source_id)
			JOIN invoices i ON i.id = p.invoice_id JOIN tenants t ON t.id = i.tenant_id
		WHERE t.name = $1 AND i.currency = 'EUR' AND date_trunc('month', paid_on) = date_trunc('month', now() AT TIME ZONE 'UTC')`
)

// seesInStrip holds that a sum in EUR above a list is what a query of the books gives.
func (s *session) seesInStrip(kind, query string, args ...any) {
	s.t.Helper()
	want := s.money(query, args...) + " EUR"
	sums := s.page.Locator(".strip ."+kind+" .amount", playwright.PageLocatorOptions{HasText: "EUR"})
	s.check(expect.Locator(sums).ToHaveText(want), kind+" is "+want)
}

// money is a sum of cents as the pages show it.
func (s *session) money(query string, args ...any) (shown string) {
	s.t.Helper()
	err := s.db.QueryRow(s.t.Context(), `SELECT to_char((`+query+`) / 100.0, 'FM999,999,990.00')`, args...).Scan(&shown)
	s.check(err, "sum up the books")
	return shown
}

// fillIn is fill for one of several fields of that name, in a group.
func (s *session) fillIn(group, label, text string) {
	s.t.Helper()
	field := s.page.GetByRole("group", playwright.PageGetByRoleOptions{Name: group}).GetByLabel(label)
	s.check(field.Fill(text), "fill "+label+" in "+group)
}
