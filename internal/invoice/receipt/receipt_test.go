package receipt_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/conflict"
	"onlyonce/internal/customer"
	"onlyonce/internal/customer/duplicate"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/invalid"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/invoicetest"
	"onlyonce/internal/invoice/payment"
	"onlyonce/internal/invoice/receipt"
	"onlyonce/internal/must"
	"onlyonce/internal/postgres/pgtest"
	"onlyonce/internal/record"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

type bundle struct{ *invoicetest.Bundle }

func setup(t *testing.T) *bundle {
	t.Helper()
	return &bundle{invoicetest.Setup(t)}
}

// received records a receipt, which must succeed.
func (b *bundle) received(key, amount, reference string, of invoice.Invoice, parts ...receipt.AllocationInput) receipt.Receipt {
	b.Helper()
	done, err := b.Receive(key, amount, reference, of, parts...)
	must.OK(b, err)
	return done.Value
}

// remove removes a receipt.
func (b *bundle) remove(key string, of receipt.Receipt) error {
	_, err := receipt.Remove.Do(context.Background(), b.Store, b.Of(key, of.ID, 0), struct{}{})
	return err
}

// holds checks the allocated, repaid and remaining amounts of a receipt, in minor units, and compares them with its payments and
// repayments.
func (b *bundle) holds(of receipt.Receipt, allocated, repaid, left int64) {
	b.Helper()
	found, err := record.Find(b.Context(), b.Store.Pool, receipt.Table, b.Tenant, of.ID)
	must.OK(b, err)
	paid := storetest.Value[int64](b, `
		SELECT COALESCE(sum(amount), 0)::bigint FROM payments WHERE receipt_id = $1 AND removed_at IS NULL`, of.ID)
	back := storetest.Value[int64](b, `
		SELECT COALESCE(sum(amount), 0)::bigint FROM repayments WHERE receipt_id = $1 AND removed_at IS NULL`, of.ID)
	if found.Allocated != allocated || found.Repaid != repaid || found.Left != left || paid != allocated || back != repaid {
		b.Errorf("%d paid, %d paid back, %+v", paid, back, found)
	}
}

// TestLife records 250.00 for two invoices of 100.00 of which one is paid in part, and uses the rest.
func TestLife(t *testing.T) {
	b := setup(t)
	one, two := b.Issued("one"), b.Issued("two")
	b.OK(b.Pay("p", two, "30"))
	parts := []receipt.AllocationInput{invoicetest.Part(two, "70"), invoicetest.Part(one, "100.00")}
	r := b.received("r", "250", "TX", one, parts...)
	again, err := b.Receive("r", "250", "TX", one, parts...)
	assert.Thatf(t, err == nil && again.Replayed && again.Value == r, "again: %+v, %v", again, err)
	b.holds(r, 17000, 0, 8000)
	for _, inv := range []invoice.Invoice{one, two} {
		assert.Equal(t, b.Find(inv).Status, invoice.StatusPaid, inv.Number)
	}
	three := b.Issued("three")
	_, err = b.Apply("more", r, three, "80.01")
	c, ok := errors.AsType[*conflict.Error](err)
	assert.Thatf(t, ok && c.Kind == &receipt.ExceedsCredit && c.Members["left"] == "80.00", "more than is left: %v", err)
	p, err := b.Apply("apply", r, three, "60")
	assert.Thatf(t, err == nil && p.ReceiptID == r.ID && p.InvoiceID == three.ID && p.Method == "bank_transfer", "%+v, %v", p, err)
	_, err = b.Repay("too much", r, "20.01")
	assert.Thatf(t, storetest.IsConflict(err, &receipt.ExceedsCredit), "paid back more than is left: %v", err)
	b.OK(b.Repay("back", r, "15"))
	b.holds(r, 23000, 1500, 500)
	b.OK(b.Remove("remove", p))
	b.holds(r, 17000, 1500, 6500)
	assert.Equal(t, b.Find(three).Open, 10000, "open after the removal")

	sums, err := invoice.Standing(t.Context(), b.Store.Pool, b.Tenant, one.Customer.ID, one.DueDate)
	assert.Thatf(t, err == nil && sums[0].Kind == "credit" && sums[0].Amount.String() == "6500" && sums[0].Count == 1, "%v, %v", sums, err)
	open, err := receipt.Open(t.Context(), b.Store.Pool, b.Tenant, one.Customer.ID, one.Currency)
	assert.Thatf(t, err == nil && len(open) == 1 && open[0].ID == three.ID && open[0].Open == 10000, "%v, %v", open, err)
}

// TestNothingIsRecorded checks that each refused receipt names what is wrong, and leaves nothing.
func TestNothingIsRecorded(t *testing.T) {
	b := setup(t)
	inv, paid := b.Issued("i"), b.Issued("paid")
	b.OK(b.Pay("p", paid, "90"))
	void := b.Issued("void")
	must.OK(t, b.Void("void", void))
	other := b.Issued("other", invoice.LineInput{Description: "Design", Quantity: "1", UnitPrice: "10.00", TaxRate: "0"})
	unknown := inv
	unknown.ID = b.Tenant
	for _, c := range []struct {
		name    string
		with    invoice.Invoice
		refused *conflict.Kind
		says    string
	}{
		{"open", paid, &payment.ExceedsOpen, "The open amount of " + paid.Number + " is 10.00 EUR."},
		{"void", void, &invoice.NotIssued, "Invoice " + void.Number + " isn't issued."},
	} {
		_, err := b.Receive(c.name, "200", "", inv, invoicetest.Part(inv, "10"), invoicetest.Part(c.with, "20"))
		refused, ok := errors.AsType[*conflict.Error](err)
		assert.Thatf(t, ok && refused.Kind == c.refused && refused.Title == c.says && refused.Field == "/allocations/1/amount",
			"%s: %+v", c.name, err)
	}
	_, err := b.Receive("unknown", "200", "", inv, invoicetest.Part(inv, "10"), invoicetest.Part(unknown, "20"))
	wrong, ok := errors.AsType[*invalid.Error](err)
	assert.Thatf(t, ok && wrong.Fields[0].Pointer == "/allocations/1/invoice_id", "unknown: %v", err)
	assert.Equal(t, storetest.Value[int](b, `SELECT count(*) FROM receipts`), 0, "receipts")
	assert.Equal(t, b.Find(inv).Paid, 0, "paid")
	_, err = b.Receive("sum", "20", "", inv, invoicetest.Part(inv, "10"), invoicetest.Part(other, "10"))
	must.OK(t, err)
	_, err = receipt.Input{
		CustomerID: inv.Customer.ID.String(), Currency: "EUR", Amount: "19.99", Date: "2026-11-22", Method: "cash",
		Allocations: []receipt.AllocationInput{invoicetest.Part(inv, "10"), invoicetest.Part(other, "10")},
	}.Draft()
	assert.Thatf(t, err != nil && strings.Contains(err.Error(), "20.00 EUR together"), "%v", err)
}

// TestOneTransfer checks that a reference is one transfer for payments and receipts together, until the first is removed.
func TestOneTransfer(t *testing.T) {
	b := setup(t)
	inv := b.Issued("i")
	pay := func(key string) error {
		d, err := payment.Input{
			Amount: "1", Date: "2026-11-22", Method: "cash", Provider: "BANK", Reference: "TX",
		}.Draft(inv.ID, inv.Currency)
		must.OK(t, err)
		_, err = payment.Create.Do(t.Context(), b.Store, b.Intent(key), d)
		return err
	}
	r := b.received("r", "5", "TX", inv)
	c, ok := errors.AsType[*conflict.Error](pay("p"))
	assert.Thatf(t, ok && c.Kind == &payment.Taken && c.Existing == r.ID && c.Many == "receipts", "paid what was received: %+v", c)
	_, err := b.Receive("r2", "6", "TX", inv)
	c, ok = errors.AsType[*conflict.Error](err)
	assert.Thatf(t, ok && c.Kind == &payment.Taken && c.Existing == r.ID && c.Many == "", "received twice: %+v", c)
	must.OK(t, b.remove("remove", r))
	must.OK(t, pay("p"))
	_, err = b.Receive("r2", "6", "TX", inv)
	c, ok = errors.AsType[*conflict.Error](err)
	assert.Thatf(t, ok && c.Kind == &payment.Taken && c.Many == "payments", "received what was paid: %+v", c)
}

// TestRemove checks that a receipt with payments or repayments can't be removed.
func TestRemove(t *testing.T) {
	b := setup(t)
	inv := b.Issued("i")
	r := b.received("r", "50", "", inv)
	p, err := b.Apply("a", r, inv, "20")
	must.OK(t, err)
	err = b.remove("allocated", r)
	assert.Thatf(t, storetest.IsConflict(err, &receipt.Used), "removed what pays an invoice: %v", err)
	b.OK(b.Remove("p", p))
	must.OK(t, b.remove("whole", r))
	b.holds(r, 0, 0, 0)
	_, err = b.Apply("late", r, inv, "1")
	assert.Thatf(t, storetest.IsConflict(err, &receipt.ExceedsCredit), "allocated what was removed: %v", err)
	r = b.received("again", "50", "", inv)
	b.OK(b.Repay("back", r, "50"))
	err = b.remove("repaid", r)
	assert.Thatf(t, storetest.IsConflict(err, &receipt.Used), "removed what was paid back: %v", err)
}

// TestMergeMovesReceipts checks that the credit of a merged customer pays the invoices of the one that stayed, and that a receipt from the
// merged one is recorded for that one.
func TestMergeMovesReceipts(t *testing.T) {
	b := setup(t)
	inv := b.Issued("i")
	old := customer.Input{Email: "old@example.com", Name: "Ada Lovelace"}
	d, err := old.Draft()
	must.OK(t, err)
	loser, err := customer.Upsert.Do(t.Context(), b.Store, b.Intent("loser"), d)
	must.OK(t, err)
	its := inv
	its.Customer.ID = loser.Value.ID
	r := b.received("r", "50", "", its)
	_, err = b.Apply("early", r, inv, "1")
	_, ok := errors.AsType[*invalid.Error](err)
	assert.Thatf(t, ok, "paid another customer's invoice: %v", err)
	winner, err := record.Find(t.Context(), b.Store.Pool, customer.Table, b.Tenant, inv.Customer.ID)
	must.OK(t, err)
	merge, err := duplicate.MergeInput{WinnerID: winner.ID.String(), Customers: []duplicate.SeenInput{
		{ID: winner.ID.String(), Version: int32(winner.Version)}, {ID: loser.Value.ID.String(), Version: int32(loser.Value.Version)},
	}}.Draft()
	must.OK(t, err)
	b.OK(duplicate.MergeCustomers.Do(t.Context(), b.Store, b.Intent("merge"), merge))
	b.OK(b.Apply("after", r, inv, "20"))
	b.holds(r, 2000, 0, 3000)
	late := b.received("late", "5", "", its)
	assert.Equal(t, late.Customer.ID, winner.ID, "the customer of a later receipt")
}

// TestDatabaseKeepsTheReceipts checks that even the superuser can't change receipts, or what they show of their payments.
func TestDatabaseKeepsTheReceipts(t *testing.T) {
	b := setup(t)
	inv, other := b.Issued("i"), b.Issued("other")
	r := b.received("r", "60", "TX", inv, invoicetest.Part(inv, "40"))
	b.OK(b.Repay("back", r, "5"))
	const part = `INSERT INTO payments (tenant_id, id, invoice_id, receipt_id, amount, paid_on, method, reference, provider)
		SELECT r.tenant_id, gen_random_uuid(), i.id, r.id, %, '2026-11-22', 'cash', NULL, NULL FROM receipts r, invoices i`
	b.Refuses(map[string][]string{
		"receipts_append_only": {
			`UPDATE receipts SET amount = 1`, `UPDATE receipts SET currency = 'PLN'`, `DELETE FROM receipts`, `TRUNCATE receipts CASCADE`,
			`UPDATE receipts SET customer_id = gen_random_uuid()`,
		},
		"repayments_append_only": {
			`UPDATE repayments SET amount = 1`, `DELETE FROM repayments`, `TRUNCATE repayments`,
			`UPDATE repayments SET removed_at = now(); UPDATE repayments SET removed_at = NULL`,
		},
		"payments_append_only": {`UPDATE payments SET receipt_id = NULL`},
		"receipts_balanced": {
			`UPDATE receipts SET allocated = 3999`, `UPDATE receipts SET repaid = 0`, `UPDATE receipts SET repaid = 501`,
		},
		"receipts_removed_whole":   {`UPDATE receipts SET removed_at = now()`},
		"minor_units_check":        {`UPDATE receipts SET allocated = 5501`, `UPDATE receipts SET repaid = -1`},
		"payments_within_receipt":  {strings.ReplaceAll(part, "%", "1501")},
		"payments_referenced_once": {strings.ReplaceAll(strings.ReplaceAll(part, "%", "1"), "NULL, NULL", "'TX 2', 'Bank'")},
		"repayments_within_receipt": {`INSERT INTO repayments (tenant_id, id, receipt_id, amount, repaid_on)
			SELECT tenant_id, gen_random_uuid(), id, 1501, '2026-11-22' FROM receipts`},
		"payment_references_once": {`INSERT INTO payments (tenant_id, id, invoice_id, amount, paid_on, method, provider, reference)
			SELECT tenant_id, gen_random_uuid(), id, 1, '2026-11-22', 'cash', 'bank', 'TX' FROM invoices WHERE paid = 0`},
	})
	assert.Equal(t, b.Find(other).Paid, 0, "paid")
}
