package writeoff_test

import (
	"context"
	"fmt"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/conflict"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/credit"
	"onlyonce/internal/invoice/invoicetest"
	"onlyonce/internal/invoice/payment"
	"onlyonce/internal/invoice/writeoff"
	"onlyonce/internal/must"
)

// TestFiftyAtOnce checks that concurrent write-offs never exceed the open amount, and that none is lost.
func TestFiftyAtOnce(t *testing.T) {
	b := invoicetest.Setup(t)
	inv := b.Issued("i")
	errs := storetest.Together(50, func(i int) error {
		_, err := b.WriteOff(fmt.Sprint(i), inv, "3.00")
		return err
	})
	written := b.Succeeded(errs, &writeoff.ExceedsOpen)
	if found := b.Find(inv); written != 33 || found.WrittenOff != 9900 || found.Open != 100 {
		t.Errorf("%d write-offs, %d written off, %d open", written, found.WrittenOff, found.Open)
	}
}

// TestRaces writes off the whole open amount of 100.00 concurrently with each other operation that changes it. Each order has its answer:
// if the write-off comes first, the other is refused; if it comes second, it takes the rest, or is refused.
func TestRaces(t *testing.T) {
	b := invoicetest.Setup(t)
	first := func(inv invoice.Invoice) bool {
		return inv.Status == invoice.StatusWrittenOff && inv.WrittenOff == 10000
	}
	for _, with := range []struct {
		name    string
		other   func(key string, inv invoice.Invoice) error
		refused *conflict.Kind // the other operation, after the write-off
		late    *conflict.Kind // the write-off, after the other operation; nil if it takes the rest
		second  func(inv invoice.Invoice) bool
	}{
		{"payment", func(key string, inv invoice.Invoice) error {
			_, err := b.Pay(key, inv, "60")
			return err
		}, &payment.ExceedsOpen, nil, func(inv invoice.Invoice) bool {
			return inv.Status == invoice.StatusPaid && inv.Paid == 6000 && inv.WrittenOff == 4000
		}},
		{"payment in full", func(key string, inv invoice.Invoice) error {
			_, err := b.Pay(key, inv, "100")
			return err
		}, &payment.ExceedsOpen, &writeoff.ExceedsOpen, func(inv invoice.Invoice) bool {
			return inv.Status == invoice.StatusPaid && inv.Paid == 10000 && inv.WrittenOff == 0
		}},
		{"credit note", func(key string, inv invoice.Invoice) error {
			d, err := credit.Input{Lines: []credit.LineInput{{Position: 1, Quantity: "1.5"}}}.Draft(inv)
			if err == nil {
				_, err = credit.Create.Do(context.Background(), b.Store, b.Intent(key), d)
			}
			return err
		}, &credit.ExceedsInvoice, nil, func(inv invoice.Invoice) bool {
			return inv.Status == invoice.StatusWrittenOff && inv.Credited == 7500 && inv.WrittenOff == 2500
		}},
		{"void", b.Void, &invoice.HasWriteOffs, &invoice.NotIssued, func(inv invoice.Invoice) bool {
			return inv.Status == invoice.StatusVoid && inv.WrittenOff == 0
		}},
		{"write-off", func(key string, inv invoice.Invoice) error {
			_, err := b.WriteOff(key, inv, "")
			return err
		}, &writeoff.ExceedsOpen, &writeoff.ExceedsOpen, first},
	} {
		t.Run(with.name, func(t *testing.T) {
			for round := range 10 {
				inv := b.Issued(fmt.Sprint(with.name, round))
				written, other := storetest.Both(func() error {
					_, err := b.WriteOff(fmt.Sprint("write off", with.name, round), inv, "")
					return err
				}, func() error { return with.other(fmt.Sprint("other", with.name, round), inv) })
				found := b.Find(inv)
				switch {
				case written == nil && storetest.IsConflict(other, with.refused) && first(found):
				case other == nil && with.late == nil && written == nil && with.second(found):
				case other == nil && with.late != nil && storetest.IsConflict(written, with.late) && with.second(found):
				default:
					t.Errorf("written off: %v, %s: %v, %+v", written, with.name, other, found)
				}
			}
		})
	}
}

// TestTakeBackAtOnce takes a write-off back under many keys, concurrently with a payment. It is taken back once, and the payment is
// recorded if it came after that.
func TestTakeBackAtOnce(t *testing.T) {
	b := invoicetest.Setup(t)
	for round := range 5 {
		inv := b.Issued(fmt.Sprint(round))
		off, err := b.WriteOff(fmt.Sprint("off", round), inv, "")
		must.OK(t, err)
		errs := storetest.Together(11, func(i int) error {
			if i == 0 {
				_, err := b.Pay(fmt.Sprint("pay", round), inv, "70")
				return err
			}
			_, err := b.TakeBack(fmt.Sprint("back", round, "-", i), off)
			return err
		})
		assert.Equal(t, b.Succeeded(errs[1:], nil), 10, "answered")
		found, paid := b.Find(inv), errs[0]
		switch {
		case paid == nil && found.Paid == 7000 && found.Open == 3000:
		case storetest.IsConflict(paid, &payment.ExceedsOpen) && found.Open == 10000:
		default:
			t.Errorf("paid: %v, %+v", paid, found)
		}
	}
	assert.Equal(t, storetest.Value[int](b, `SELECT count(*) FROM postings WHERE kind = 'reversal'`), 5, "reversals of 5 write-offs")
}
