package refund_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/uuid"

	"onlyonce/internal/assert"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/invoicetest"
	"onlyonce/internal/invoice/payment"
	"onlyonce/internal/invoice/refund"
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

// paid returns a new invoice with a payment of its total.
func (b *bundle) paid(k string) (invoice.Invoice, payment.Payment) {
	b.Helper()
	inv := b.Issued(k)
	p, err := b.Pay(k, inv, "100")
	must.OK(b, err)
	return inv, p
}

func (b *bundle) refund(k string, of payment.Payment, in refund.Input) (idempotency.Done[refund.Refund], error) {
	b.Helper()
	in.Date = "2026-11-23"
	d, err := in.Draft(of)
	must.OK(b, err)
	return refund.Create.Do(context.Background(), b.Store, b.Intent(k), d)
}

func TestInParts(t *testing.T) {
	b := setup(t)
	inv, p := b.paid("i")
	for _, step := range []struct {
		amount, status string
		paid           int64
	}{{"40", invoice.StatusPartly, 6000}, {"60.00", invoice.StatusIssued, 0}} {
		done, err := b.refund(step.amount, p, refund.Input{Amount: step.amount})
		must.Thatf(t, err == nil && done.Value.InvoiceID == inv.ID && done.Value.PaymentID == p.ID && done.Value.Currency == inv.Currency,
			"%+v, %v", done, err)
		again, err := b.refund(step.amount, p, refund.Input{Amount: step.amount})
		assert.Thatf(t, err == nil && again.Replayed && again.Value == done.Value, "again: %+v, %v", again, err)
		found := b.Find(inv)
		assert.Thatf(t, found.Status == step.status && found.Paid == step.paid && found.Open == 10000-step.paid, "%+v", found)
		of, err := record.Find(t.Context(), b.Store.Pool, payment.Table, b.Tenant, p.ID)
		assert.Thatf(t, err == nil && of.Left == step.paid && of.Refunded == 10000-step.paid, "%+v, %v", of, err)
	}
	_, err := b.refund("more", p, refund.Input{Amount: "0.01"})
	assert.Thatf(t, storetest.IsConflict(err, &refund.ExceedsPayment), "more than is left: %v", err)
	if _, err := b.Pay("again", inv, "100"); err != nil { // the refunded amount is open again
		t.Error(err)
	}
}

// TestVoidAfterRefund checks that an invoice whose payments were refunded can be voided.
func TestVoidAfterRefund(t *testing.T) {
	b := setup(t)
	inv, p := b.paid("i")
	err := b.Void("paid", inv)
	assert.Thatf(t, storetest.IsConflict(err, &invoice.HasPayments), "voided what was paid: %v", err)
	b.OK(b.refund("k", p, refund.Input{Amount: "100"}))
	must.OK(t, b.Void("refunded", inv))
}

// TestFiftyAtOnce checks that concurrent refunds never exceed the payment, and that none is lost.
func TestFiftyAtOnce(t *testing.T) {
	b := setup(t)
	inv, p := b.paid("i")
	errs := storetest.Together(50, func(i int) error {
		_, err := b.refund(fmt.Sprint(i), p, refund.Input{Amount: "3.00"})
		return err
	})
	refunded := b.Succeeded(errs, &refund.ExceedsPayment)
	if found := b.Find(inv); refunded != 33 || found.Paid != 100 || found.Open != 9900 {
		t.Errorf("%d refunds, %d paid, %d open", refunded, found.Paid, found.Open)
	}
}

// TestPayAndRefund runs a refund of 60.00 concurrently with a second payment of 50.00, which is within the open amount only after the
// refund. It checks the books for each outcome.
func TestPayAndRefund(t *testing.T) {
	b := setup(t)
	for round := range 10 {
		inv, p := b.paid(fmt.Sprint(round))
		paid, refunded := storetest.Both(func() error {
			_, err := b.Pay(fmt.Sprint("pay", round), inv, "50")
			return err
		}, func() error {
			_, err := b.refund(fmt.Sprint("refund", round), p, refund.Input{Amount: "60"})
			return err
		})
		found := b.Find(inv)
		switch {
		case refunded == nil && paid == nil && found.Paid == 9000 && found.Open == 1000:
		case refunded == nil && storetest.IsConflict(paid, &payment.ExceedsOpen) && found.Paid == 4000 && found.Open == 6000:
		default:
			t.Errorf("paid: %v, refunded: %v, %+v", paid, refunded, found)
		}
	}
}

// TestRefundOrRemove runs a refund and the removal of the same payment concurrently. One is refused, without a deadlock.
func TestRefundOrRemove(t *testing.T) {
	b := setup(t)
	for round := range 10 {
		inv, p := b.paid(fmt.Sprint(round))
		refunded, removed := storetest.Both(func() error {
			seen := []string{"", "100.00"}[round%2]
			_, err := b.refund(fmt.Sprint("refund", round), p, refund.Input{Amount: "60", SeenLeft: seen})
			return err
		}, func() error {
			_, err := b.Remove(fmt.Sprint("remove", round), p)
			return err
		})
		found := b.Find(inv)
		switch {
		case refunded == nil && storetest.IsConflict(removed, &payment.HasRefunds) && found.Paid == 4000:
		case removed == nil && found.Paid == 0 &&
			(storetest.IsConflict(refunded, &refund.ExceedsPayment) || storetest.IsConflict(refunded, &invoice.OpenChanged)):
		default:
			t.Errorf("refunded: %v, removed: %v, %+v", refunded, removed, found)
		}
	}
}

// TestLeftChanged checks that a user who saw a larger refundable amount is asked.
func TestLeftChanged(t *testing.T) {
	b := setup(t)
	_, p := b.paid("i")
	b.OK(b.refund("1", p, refund.Input{Amount: "40", SeenLeft: "100.00"}))
	if _, err := b.refund("2", p, refund.Input{Amount: "40", SeenLeft: "100.00"}); !storetest.IsConflict(err, &invoice.OpenChanged) {
		t.Errorf("%v", err)
	}
	if _, err := b.refund("2", p, refund.Input{Amount: "40", SeenLeft: "60.00"}); err != nil {
		t.Error(err)
	}
	nothing := payment.Payment{Header: record.Header{ID: uuid.New()}, Currency: p.Currency}
	if _, err := b.refund("3", nothing, refund.Input{Amount: "1"}); !errors.Is(err, record.ErrNotFound) {
		t.Errorf("refunded no payment: %v", err)
	}
}

// TestDatabaseKeepsTheRefunds checks that even the superuser can't change refunds.
func TestDatabaseKeepsTheRefunds(t *testing.T) {
	b := setup(t)
	_, p := b.paid("i")
	b.OK(b.refund("k", p, refund.Input{Amount: "40"}))
	const another = `INSERT INTO refunds (tenant_id, id, payment_id, amount, refunded_on)
		SELECT tenant_id, gen_random_uuid(), id, %s, '2026-11-22' FROM payments`
	b.Refuses(map[string][]string{
		"refunds_append_only": {
			`UPDATE refunds SET amount = 1`, `DELETE FROM refunds`, `TRUNCATE refunds CASCADE`,
			`UPDATE refunds SET removed_at = now(); UPDATE refunds SET removed_at = NULL`,
		},
		"payments_append_only":   {`UPDATE payments SET amount = 1`, `UPDATE payments SET paid_on = '2026-11-01'`, `DELETE FROM payments`},
		"payments_balanced":      {`UPDATE payments SET refunded = 0`, `UPDATE payments SET refunded = 4001`},
		"refunds_within_payment": {fmt.Sprintf(another, "6001")},
		"refunds_amount_check":   {fmt.Sprintf(another, "0")},
		"refunds_payment": {`INSERT INTO refunds (tenant_id, id, payment_id, amount, refunded_on)
			SELECT tenant_id, id, gen_random_uuid(), 1, '2026-11-22' FROM payments`},
		"minor_units_check": {
			`UPDATE payments SET refunded = 10001`, `UPDATE invoices SET paid = -1`, fmt.Sprintf(another, "-1"),
			`INSERT INTO postings (tenant_id, invoice_id, source_id, kind, amount)
				SELECT tenant_id, id, gen_random_uuid(), 'refund', -6001 FROM invoices`,
		},
		"invoices_balanced": {
			`UPDATE invoices SET paid = 0`,
			`INSERT INTO postings (tenant_id, invoice_id, source_id, kind, amount)
				SELECT tenant_id, id, gen_random_uuid(), 'refund', -1 FROM invoices`,
		},
	})
}
