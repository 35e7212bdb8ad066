package site_test

import (
	"net/http"
	"net/url"

	"onlyonce/internal/record"
)

// secretInvoices creates for acme a payment with a refund, a credit note, a billed period, a distinction, a next number, and
// two invoices, the first under key.
func (b *bundle) secretInvoices(ids *secretIDs) {
	b.Helper()
	of, paid := invoices(), payments()
	program := b.program(b.replica, b.acme)
	command := change(of.command, "notes", "secret notes", "customer_email", "secret@acme.example",
		"customer_name", "Secret Customer", "line_description", "secret work")
	program.create(of, "of the series", command)
	a := program.create(of, key, change(command, "number", "SECRET-7"))
	if a.status != http.StatusCreated {
		b.Fatal(a)
	}
	invoice := decode[created](b, a).ID
	paid.parent.command = command
	payment := b.prepared(b.acme, "payment", paid, change(paid.command, "reference", "secret reference"))
	refunded, credited := refunds(), creditNotes()
	refunded.parent.id, credited.parent.id = payment.ID, get[string](b, `SELECT invoice_id::text FROM payments`)
	refund := b.prepared(b.acme, "refund", refunded, refunded.command)
	note := b.prepared(b.acme, "credit note", credited, credited.command)
	period := b.prepared(b.acme, "period", periods(), periods().command)
	event := b.prepared(b.acme, "event", webhookEvents(), url.Values{"event": {"secret-event"}})
	source := get[string](b, `SELECT source_id::text FROM webhook_events`)
	apart := b.prepared(b.acme, "apart", invoiceDistinctions(), invoiceDistinctions().other)
	next := b.prepared(b.acme, "next", nextNumbers(), nextNumbers().other)
	ids.sent = of
	ids.sent.command = change(of.command, "customer_id", ids.customer, "idempotency_key", key)
	ids.ids = append(ids.ids, invoice, payment.ID, refund.ID, note.ID, period.ID, event.ID, apart.ID, next.ID, source,
		get[string](b, `SELECT id::text FROM webhook_secrets`))
	ids.queries = append(ids.queries, "copy="+invoice, "key="+key+"&copy="+invoice, "invoice="+invoice,
		"status=draft&cursor="+record.Cursor{
			Of:   record.ListName("/invoices", url.Values{"status": {"draft"}}),
			From: record.Key{"2026-11-21", invoice}, Back: true}.String())
}
