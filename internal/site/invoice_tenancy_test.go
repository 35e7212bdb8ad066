package site_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/invoice/invoicecases"
	"onlyonce/internal/must"
	"onlyonce/internal/record"
	"onlyonce/internal/site/sitetest"
)

// secretInvoices creates for acme a payment with a refund, a credit note, a write-off, a receipt with a repayment, a billed period, a
// distinction, a next number, a number pattern, and two invoices, the first under key.
func secretInvoices(b *sitetest.Bundle, ids *secretIDs) {
	b.Helper()
	of, paid := invoicecases.Invoices(), invoicecases.Payments()
	program := b.Program(b.Replica, b.Acme)
	command := sitetest.Change(of.Command, "notes", "secret notes", "customer_email", "secret@acme.example",
		"customer_name", "Secret Customer", "line_description", "secret work")
	pattern := b.Prepared(b.Acme, "pattern", invoicecases.NumberPatterns(), invoicecases.NumberPatterns().Command)
	program.Create(of, "of the series", command)
	a := program.Create(of, sitetest.Key, sitetest.Change(command, "number", "SECRET-7"))
	must.Thatf(b, a.Status == http.StatusCreated, "%v", a)
	invoice := sitetest.Decode[sitetest.Created](b, a).ID
	paid.Parent.Command = command
	payment := b.Prepared(b.Acme, "payment", paid, sitetest.Change(paid.Command, "reference", "secret reference"))
	refunded, credited := invoicecases.Refunds(), invoicecases.CreditNotes()
	refunded.Parent.ID, credited.Parent.ID = payment.ID, sitetest.Get[string](b, `SELECT invoice_id::text FROM payments`)
	refund := b.Prepared(b.Acme, "refund", refunded, refunded.Command)
	note := b.Prepared(b.Acme, "credit note", credited, credited.Command)
	written := invoicecases.WriteOffs()
	written.Parent.ID = credited.Parent.ID
	off := b.Prepared(b.Acme, "write-off", written, sitetest.Change(written.Command, "amount", "0.01", "note", "secret notes"))
	received, repaid := invoicecases.Receipts(), invoicecases.Repayments()
	receipt := b.Prepared(b.Acme, "receipt", received, sitetest.Change(received.Command, "reference", "secret receipt"))
	repaid.Parent.ID = receipt.ID
	repayment := b.Prepared(b.Acme, "repayment", repaid, repaid.Command)
	period := b.Prepared(b.Acme, "period", invoicecases.Periods(), invoicecases.Periods().Command)
	event := b.Prepared(b.Acme, "event", invoicecases.WebhookEvents(), url.Values{"event": {"secret-event"}})
	source := sitetest.Get[string](b, `SELECT source_id::text FROM webhook_events`)
	apart := b.Prepared(b.Acme, "apart", invoicecases.InvoiceDistinctions(), invoicecases.InvoiceDistinctions().Other)
	next := b.Prepared(b.Acme, "next", invoicecases.NextNumbers(), url.Values{"number": {"RE-2027-0139"}})
	file := invoicecases.Attachments()
	file.Parent.ID = invoice
	attached := b.Prepared(b.Acme, "attachment", file, url.Values{"file": {sitetest.FileValue("a.txt", "secret notes")}})
	logo := b.Prepared(b.Acme, "logo", invoicecases.Logos(), invoicecases.Logos().Command)
	reminded := b.Prepared(b.Acme, "reminder", invoicecases.Reminders(),
		sitetest.Change(invoicecases.Reminders().Command, "message", "secret notes", "recipient", "secret@acme.example"))
	batch := b.Prepared(b.Acme, "batch", invoicecases.ReminderBatches(), invoicecases.ReminderBatches().Command)
	issued := b.Prepared(b.Acme, "issued", invoicecases.Batches(), invoicecases.Batches().Command)
	plan := b.Prepared(b.Acme, "plan", invoicecases.ReminderPlans(), invoicecases.ReminderPlans().Command)
	closing := b.Prepared(b.Acme, "closing", invoicecases.Closings(), invoicecases.Closings().Command)
	ids.sent = of
	ids.sent.Command = sitetest.Change(of.Command, "customer_id", ids.customer, "idempotency_key", sitetest.Key)
	ids.ids = append(ids.ids, invoice, payment.ID, refund.ID, note.ID, off.ID, receipt.ID, repayment.ID, period.ID, event.ID, apart.ID,
		next.ID, pattern.ID, attached.ID, logo.ID, reminded.ID, batch.ID, issued.ID, plan.ID, closing.ID, source,
		sitetest.Get[string](b, `SELECT id::text FROM webhook_secrets`))
	ids.queries = append(ids.queries, "copy="+invoice, "key="+sitetest.Key+"&copy="+invoice, "invoice="+invoice,
		"status=draft&cursor="+record.Cursor{
			Of:   record.ListName("/invoices", url.Values{"status": {"draft"}}),
			From: record.Key{"2026-11-21", invoice}, Back: true}.String())
}

// TestCustomersOfAnotherTenantMeanNothing: a customer that was selected as acme doesn't exist for globex, and isn't read.
func TestCustomersOfAnotherTenantMeanNothing(t *testing.T) {
	b, of := setupSecrets(t)
	x := b.Case(invoicecases.Invoices(), sitetest.HTML{})
	form := sitetest.Change(x.Opened(), "customer_id", of.customer)
	x.Caller.LogIn(b.Globex, sitetest.Password)
	before := b.Rows()
	first := x.Caller.Submit(x.Resource.List(), form)
	second := x.Caller.Press(b.Page(first), "Create it for Globex")
	b.Page(second).Says("This customer doesn't exist. Choose another one.")
	for _, a := range []sitetest.Answer{first, second} {
		for _, secret := range secrets {
			assert.Thatf(t, !strings.Contains(a.Body, secret), "has %q: %v", secret, a)
		}
	}
	after := b.Rows()
	assert.Thatf(t, after.Equal(before), "rows %+v before and %+v after", before, after)
}
