package receipt_test

import (
	"context"
	"fmt"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/credit"
	"onlyonce/internal/invoice/invoicetest"
	"onlyonce/internal/invoice/payment"
	"onlyonce/internal/invoice/receipt"
	"onlyonce/internal/must"
)

// TestCreditAtOnce uses a credit of 100.00 from one gate: by payments of two invoices and by repayments, of 3.00 each. As many succeed as
// fit, without a deadlock, and none is lost.
func TestCreditAtOnce(t *testing.T) {
	b := setup(t)
	one, two := b.Issued("one"), b.Issued("two")
	r := b.received("r", "100", "", one)
	errs := storetest.Together(51, func(i int) (err error) {
		switch key := fmt.Sprint("use", i); i % 3 {
		case 0:
			_, err = b.Apply(key, r, one, "3")
		case 1:
			_, err = b.Apply(key, r, two, "3")
		default:
			_, err = b.Repay(key, r, "3")
		}
		return err
	})
	assert.Equal(t, b.Succeeded(errs, &receipt.ExceedsCredit), 33, "uses of 3.00")
	repaid := storetest.Value[int64](b, `SELECT repaid FROM receipts`)
	assert.Equal(t, b.Find(one).Paid+b.Find(two).Paid, 9900-repaid, "paid")
	b.holds(r, 9900-repaid, repaid, 100)
}

// TestOneKey records a receipt 20 times at once under one key, and under further keys with its reference: one receipt with its payments is
// made.
func TestOneKey(t *testing.T) {
	b := setup(t)
	inv, other := b.Issued("i"), b.Issued("other")
	errs := storetest.Together(40, func(i int) error {
		key, of := "one", inv
		if i%2 == 1 {
			key, of = fmt.Sprint("another", i), other
		}
		_, err := b.Receive(key, "50", "TX", inv, invoicetest.Part(of, "40"))
		return err
	})
	ok := b.Succeeded(errs, &payment.Taken)
	assert.Thatf(t, ok == 20 || ok == 1, "%d were answered with a receipt", ok) // all with the key "one", or a single one with another key
	assert.Equal(t, storetest.Value[int](b, `SELECT count(*) FROM receipts`), 1, "receipts")
	assert.Equal(t, b.Find(inv).Paid+b.Find(other).Paid, 4000, "paid")
}

// TestInBothOrders records receipts for two invoices, in either order, and payments of them with the same references at once. Each
// reference is one transfer, and nothing deadlocks: a deadlock would be resolved by another attempt, a second later.
func TestInBothOrders(t *testing.T) {
	b := setup(t)
	const deadlocks = `SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`
	before := storetest.Value[int](b, deadlocks)
	one, two := b.Issued("one"), b.Issued("two")
	errs := storetest.Together(30, func(i int) (err error) {
		reference := fmt.Sprint("TX ", i/3)
		switch i % 3 {
		case 0:
			_, err = b.Receive(fmt.Sprint(i), "2", reference, one, invoicetest.Part(one, "1"), invoicetest.Part(two, "1"))
		case 1:
			_, err = b.Receive(fmt.Sprint(i), "2", reference, one, invoicetest.Part(two, "1"), invoicetest.Part(one, "1"))
		default:
			d, wrong := payment.Input{
				Amount: "2", Date: "2026-11-22", Method: "cash", Provider: "Bank", Reference: reference,
			}.Draft(two.ID, two.Currency)
			must.OK(t, wrong)
			_, err = payment.Create.Do(context.Background(), b.Store, b.Intent(fmt.Sprint(i)), d)
		}
		return err
	})
	assert.Equal(t, b.Succeeded(errs, &payment.Taken), 10, "transfers")
	assert.Equal(t, b.Find(one).Paid+b.Find(two).Paid, 2000, "paid")
	assert.Equal(t, storetest.Value[int](b, deadlocks), before, "deadlocks")
}

// TestRemovePaymentAndApply removes a payment of 60.00 from a receipt of 100.00 while 50.00 of its credit is allocated, which fits only
// after the removal, and while the receipt is removed.
func TestRemovePaymentAndApply(t *testing.T) {
	b := setup(t)
	for round := range 10 {
		key := fmt.Sprint(round)
		inv, other := b.Issued(key), b.Issued("other"+key)
		r := b.received(key, "100", "", inv)
		p, err := b.Apply("apply"+key, r, inv, "60")
		must.OK(t, err)
		removed, applied := storetest.Both(func() error {
			_, err := b.Remove("remove"+key, p)
			return err
		}, func() error {
			_, err := b.Apply("again"+key, r, other, "50")
			return err
		})
		switch {
		case removed == nil && applied == nil:
			b.holds(r, 5000, 0, 5000)
		case removed == nil && storetest.IsConflict(applied, &receipt.ExceedsCredit):
			b.holds(r, 0, 0, 10000)
		default:
			t.Errorf("removed: %v, applied: %v", removed, applied)
		}
		assert.Equal(t, b.Find(inv).Paid, 0, "paid")
	}
}

// TestAgainstTheInvoice records a receipt for an invoice while that is voided, credited or paid. A credit note after the receipt turns its
// payment into credit.
func TestAgainstTheInvoice(t *testing.T) {
	b := setup(t)
	for name, other := range map[string]func(key string, inv invoice.Invoice) error{
		"void": b.Void,
		"credit": func(key string, inv invoice.Invoice) error {
			d, err := credit.Input{}.Draft(inv)
			must.OK(t, err)
			_, err = credit.Create.Do(context.Background(), b.Store, b.Intent(key), d)
			return err
		},
		"pay": func(key string, inv invoice.Invoice) error {
			_, err := b.Pay(key, inv, "100")
			return err
		},
		"another receipt": func(key string, inv invoice.Invoice) error {
			_, err := b.Receive(key, "100", "", inv, invoicetest.Part(inv, "100"))
			return err
		},
	} {
		for round := range 5 {
			key := fmt.Sprint(name, round)
			inv := b.Issued(key)
			received, done := storetest.Both(func() error {
				_, err := b.Receive("receive"+key, "150", "", inv, invoicetest.Part(inv, "100"))
				return err
			}, func() error { return other("other"+key, inv) })
			found := b.Find(inv)
			if name == "credit" && received == nil {
				assert.Thatf(t, done == nil && found.Paid == 0 && found.Credited == found.Total, "%v, %+v", done, found)
				continue
			}
			assert.Thatf(t, (received == nil) != (done == nil), "%s: received: %v, other: %v, %+v", name, received, done, found)
			if received == nil {
				assert.Equal(t, found.Paid, 10000, "paid by the receipt")
			} else {
				assert.Thatf(t, storetest.IsConflict(received, &payment.ExceedsOpen) || storetest.IsConflict(received, &invoice.NotIssued),
					"%s: %v", name, received)
			}
		}
	}
}
