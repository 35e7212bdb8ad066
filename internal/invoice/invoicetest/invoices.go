// Package invoicetest has helpers for tests of invoices and their ledgers.
package invoicetest

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"

	"onlyonce/internal/customer"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/payment"
	"onlyonce/internal/invoice/receipt"
	"onlyonce/internal/invoice/writeoff"
	"onlyonce/internal/must"
	"onlyonce/internal/record"
)

// Bundle is a separate database with one tenant, and helpers to create and change invoices there.
type Bundle struct{ *storetest.Bundle }

// Setup returns a bundle for a parallel test.
func Setup(t *testing.T) *Bundle {
	t.Helper()
	return &Bundle{storetest.Setup(t)}
}

// Issued creates and issues an invoice with the lines, by default a quantity of 2 at 50.00 EUR without tax.
func (b *Bundle) Issued(key string, lines ...invoice.LineInput) invoice.Invoice {
	b.Helper()
	if len(lines) == 0 {
		lines = []invoice.LineInput{{Description: "Design", Quantity: "2", UnitPrice: "50.00", TaxRate: "0"}}
	}
	d, err := invoice.Input{
		Customer:  &customer.Input{Email: "ada@example.com", Name: "Ada Lovelace"},
		IssueDate: "2026-11-21", DueDate: "2026-12-21", Currency: "EUR", Lines: lines,
	}.Draft()
	must.OK(b, err)
	made, err := invoice.Create.Do(b.Context(), b.Store, b.Intent(key), d)
	must.OK(b, err)
	done, err := invoice.Issue.Do(b.Context(), b.Store, b.Of(key, made.Value.ID, 0), invoice.IssueDraft{})
	must.OK(b, err)
	return done.Value
}

// Pay records a payment.
func (b *Bundle) Pay(key string, inv invoice.Invoice, amount string) (payment.Payment, error) {
	b.Helper()
	d, err := payment.Input{Amount: amount, Date: "2026-11-22", Method: "bank_transfer"}.Draft(inv.ID, inv.Currency)
	must.OK(b, err)
	done, err := payment.Create.Do(context.Background(), b.Store, b.Intent(key), d)
	return done.Value, err
}

// Receive records a receipt of EUR from the customer of an invoice, with a reference of the bank unless that is "".
func (b *Bundle) Receive(
	key, amount, reference string, of invoice.Invoice, parts ...receipt.AllocationInput,
) (idempotency.Done[receipt.Receipt], error) {
	b.Helper()
	in := receipt.Input{
		CustomerID: of.Customer.ID.String(), Currency: "EUR", Amount: amount, Date: "2026-11-22", Method: "bank_transfer",
		Reference: reference, Allocations: parts,
	}
	if reference != "" {
		in.Provider = "Bank"
	}
	d, err := in.Draft()
	must.OK(b, err)
	return receipt.Create.Do(context.Background(), b.Store, b.Intent(key), d)
}

// Part returns the allocation of an amount to an invoice.
func Part(to invoice.Invoice, amount string) receipt.AllocationInput {
	return receipt.AllocationInput{InvoiceID: to.ID.String(), Amount: amount}
}

// Apply pays an invoice from the credit of a receipt.
func (b *Bundle) Apply(key string, of receipt.Receipt, to invoice.Invoice, amount string) (payment.Payment, error) {
	b.Helper()
	d, err := receipt.ApplyInput{InvoiceID: to.ID.String(), Amount: amount, Date: "2026-11-24"}.Draft(of)
	must.OK(b, err)
	done, err := receipt.Apply.Do(context.Background(), b.Store, b.Intent(key), d)
	return done.Value, err
}

// Repay pays credit of a receipt back.
func (b *Bundle) Repay(key string, of receipt.Receipt, amount string) (receipt.Repayment, error) {
	b.Helper()
	d, err := receipt.RepayInput{Amount: amount, Date: "2026-11-25"}.Draft(of)
	must.OK(b, err)
	done, err := receipt.Repay.Do(context.Background(), b.Store, b.Intent(key), d)
	return done.Value, err
}

// Remove removes a payment.
func (b *Bundle) Remove(key string, of payment.Payment) (payment.Payment, error) {
	b.Helper()
	done, err := payment.Remove.Do(context.Background(), b.Store, b.Of(key, of.ID, 0), struct{}{})
	return done.Value, err
}

// TakeBack takes a write-off back.
func (b *Bundle) TakeBack(key string, of writeoff.WriteOff) (writeoff.WriteOff, error) {
	b.Helper()
	done, err := writeoff.Reverse.Do(context.Background(), b.Store, b.Of(key, of.ID, 0), struct{}{})
	return done.Value, err
}

// Void voids an invoice.
func (b *Bundle) Void(key string, inv invoice.Invoice) error {
	b.Helper()
	_, err := invoice.Void.Do(context.Background(), b.Store, b.Of(key, inv.ID, 0), invoice.VoidDraft{})
	return err
}

// WriteOff writes an amount off, or the whole open amount for "".
func (b *Bundle) WriteOff(key string, inv invoice.Invoice, amount string) (writeoff.WriteOff, error) {
	b.Helper()
	d, err := writeoff.Input{Amount: amount, Date: "2026-11-23", Reason: "bad_debt"}.Draft(inv)
	must.OK(b, err)
	done, err := writeoff.Create.Do(context.Background(), b.Store, b.Intent(key), d)
	return done.Value, err
}

// Find returns the current state of an invoice, and checks its paid, credited and written-off amounts against its postings, and those
// against the payments, refunds, credit notes and write-offs.
func (b *Bundle) Find(inv invoice.Invoice) invoice.Invoice {
	b.Helper()
	found, err := record.Find(b.Context(), b.Store.Pool, invoice.Table, b.Tenant, inv.ID)
	must.OK(b, err)
	var posted, recorded [3]int64 // paid, credited, written off
	err = b.Admin.QueryRow(b.Context(), `
		SELECT
			COALESCE((
				SELECT sum(amount) FROM postings
				WHERE invoice_id = @id AND kind IN ('payment', 'refund', 'removal', 'to_credit')), 0),
			COALESCE((SELECT sum(amount) FROM postings WHERE invoice_id = @id AND kind = 'credit'), 0),
			COALESCE((SELECT sum(amount) FROM postings WHERE invoice_id = @id AND kind IN ('write_off', 'reversal')), 0),
			COALESCE((SELECT sum(amount) FROM payments WHERE invoice_id = @id AND removed_at IS NULL), 0)
				- COALESCE((SELECT sum(amount) FROM refunds WHERE invoice_id = @id AND removed_at IS NULL), 0)
				- COALESCE((
					SELECT sum(r.amount) FROM receipts r JOIN credit_notes n ON n.id = r.credit_note_id
					WHERE n.invoice_id = @id AND removed_at IS NULL), 0),
			COALESCE((SELECT sum(total) FROM credit_notes WHERE invoice_id = @id), 0),
			COALESCE((SELECT sum(amount) FROM write_offs WHERE invoice_id = @id AND reversed_at IS NULL), 0)`,
		pgx.NamedArgs{"id": inv.ID}).Scan(&posted[0], &posted[1], &posted[2], &recorded[0], &recorded[1], &recorded[2])
	shown := [3]int64{found.Paid, found.Credited, found.WrittenOff}
	open := found.Total - found.Paid - found.Credited - found.WrittenOff
	if found.Status == invoice.StatusDraft || found.Status == invoice.StatusVoid {
		open = 0
	}
	if err != nil || shown != posted || shown != recorded || found.Open != open {
		b.Errorf("paid, credited and written off %d, postings %d, payments less refunds, credit notes, write-offs %d, %d open of %d: %v",
			shown, posted, recorded, found.Open, found.Total, err)
	}
	return found
}

// The number of invoices of the demo's first tenant, and of all tenants without those of schedules.
const (
	DemoOfAcme     = 55
	DemoOfSchedule = 2 // of each tenant
	demoInvoices   = DemoOfAcme + 24
)

// DemoRows is the number of rows of [DemoStory], and of the customers abroad.
const DemoRows = demoInvoices + 4 + 7 + 1 + 1 + 2 // refunds, credit notes, write-offs, receipts, customers

// DemoTables are the tables with demo data of invoices.
const DemoTables = "invoices, invoice_lines, invoice_number_runs"

// DemoStory selects the demo data of invoices as shown on pages, without ids and times of creation.
const DemoStory = `
	SELECT concat_ws(' ', t.name, o.key, i.number, i.issue_date, i.due_date, i.currency, i.total, i.state, i.paid, c.email)
	FROM invoices i JOIN intents o ON o.tenant_id = i.tenant_id AND o.record_id = i.id AND o.operation = 'invoice.create'
		JOIN customers c ON c.tenant_id = i.tenant_id AND c.id = i.customer_id JOIN tenants t ON t.id = i.tenant_id
	UNION ALL SELECT concat_ws(' ', 'refund', t.name, amount, refunded_on) FROM refunds JOIN tenants t ON t.id = tenant_id
	UNION ALL SELECT concat_ws(' ', 'credit note', t.name, number, total) FROM credit_notes JOIN tenants t ON t.id = tenant_id
	UNION ALL SELECT concat_ws(' ', 'receipt', t.name, amount, left_amount, received_on) FROM receipts JOIN tenants t ON t.id = tenant_id
	UNION ALL SELECT concat_ws(' ', 'write-off', t.name, amount, written_off_on) FROM write_offs JOIN tenants t ON t.id = tenant_id`
