package invoicepages_test

import (
	"net/http"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/invoice/invoicecases"
	"onlyonce/internal/site/sitetest"
)

// TestChosenInvoices: the forms that issue, send and remind show where copies go. Those for several invoices also have the sums, and
// nothing to send without an invoice. The page of a batch has all of its invoices.
func TestChosenInvoices(t *testing.T) {
	b := sitetest.Setup(t)
	person, program, invoices := b.Person(b.Replica, b.Acme), b.Program(b.Replica, b.Acme), invoicecases.Invoices()
	late := sitetest.Change(invoices.Command, "issue_date", "2026-01-05", "due_date", "2026-02-04")
	one := b.Prepared(b.Acme, "one", invoices, late).ID
	later := sitetest.Change(invoices.Command, "currency", "USD", "due_date", "2090-01-01")
	two := b.Prepared(b.Acme, "two", invoices, later).ID
	b.Prepared(b.Acme, "three", invoices, invoices.Command, "issue")
	b.Exec(`UPDATE customers SET copies_to = 'boss@example.com'`)
	b.Exec(`UPDATE invoice_lines SET tax_treatment = 'reverse_charge', tax_rate = 0 WHERE invoice_id = $1 AND position = 2`, two)
	open := func(path string) sitetest.Page { return b.Page(person.Get(person.Get(path).Location())) }
	open("/invoices/" + one + "/issue").Says("Copies to: boss@example.com")
	open("/invoices/" + two + "/issue").Says("The customer's last invoice, 2026-0003, is in EUR, and this one in USD. Edit the draft")
	form := open("/invoice-batches/new?action=issue&invoice_id="+one+"&invoice_id="+two).Says("2 invoices, 135.77 USD and 135.77 EUR",
		"The due date of 2026-0001 has passed.",
		"The invoice doesn't show the customer's VAT number. Add it to the customer first, if it should.",
		"The customer's last invoice, 2026-0003, is in EUR, and this one in USD. Edit the draft first, if it should be another one.",
		"To ada@example.com. Copies to: boss@example.com")
	at := person.Press(form, "Issue only").Location()
	b.Exec(`UPDATE invoice_batch_items SET outcome = 'refused', reason = 'It is void.' WHERE invoice_id = $1`, one)
	p := b.Page(person.Get(at)).Says("2026-0001 Refused: It is void.", "2026-0002 Waiting")
	p.LeadsTo("/invoices/" + one)
	p.LeadsTo("/invoices/" + two)

	at = person.Press(open("/invoice-batches/new?action=issue&invoice_id="+one), "Issue and email").Location()
	program.With("Idempotency-Key", "issue").Post("/api/v1/invoices/"+one+"/issue", `{"email": "none"}`).Want(t, http.StatusOK)
	b.Exec(`UPDATE invoice_batch_items SET outcome = 'done' WHERE outcome = 'waiting' AND invoice_id = $1`, one)
	b.Page(person.Get(at)).Says("Progress 1 of 1 Issued 1 Emails queued 1 Refused 0", "2026-0001 Issued, email queued")
	open("/invoices/" + one + "/send/new").Says("Copies to: boss@example.com, unless you enter another address.")
	open("/reminder-batches/new?invoice_id=" + one).Says("Payment reminder. Copies to: boss@example.com")
	for path, list := range map[string]string{
		"/reminder-batches/new": "/invoices?status=overdue", "/reminder-batches/new?invoice_id=" + two: "/invoices?status=overdue",
		"/invoice-batches/new?action=send&invoice_id=" + two: "/invoices", "/invoice-batches/new?action=issue": "/invoices",
	} {
		p := open(path)
		p.LeadsTo(list)
		text := sitetest.Text(p.Root)
		assert.Thatf(t, !strings.Contains(text, "Send reminders Cancel") && !strings.Contains(text, "Issue only"),
			"%s has a button that fails", path)
	}
}
