package refund_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/conflict"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/credit"
	"onlyonce/internal/invoice/payment"
	"onlyonce/internal/invoice/refund"
	"onlyonce/internal/invoice/writeoff"
	"onlyonce/internal/must"
	"onlyonce/internal/record"
	"onlyonce/internal/value/date"
)

// remove removes a refund. It may run in any goroutine.
func (b *bundle) remove(key string, of refund.Refund) (refund.Refund, error) {
	done, err := refund.Remove.Do(context.Background(), b.Store, b.Of(key, of.ID, 0), struct{}{})
	return done.Value, err
}

// refunded returns a new invoice that was paid, its payment, and a refund of an amount.
func (b *bundle) refunded(key, amount string) (invoice.Invoice, payment.Payment, refund.Refund) {
	b.Helper()
	inv, p := b.paid(key)
	done, err := b.refund(key, p, refund.Input{Amount: amount})
	must.OK(b, err)
	return inv, p, done.Value
}

// TestRemove checks that the removal of a refund restores the sums of its payment, its invoice and the month with a posting, and that the
// payment can then be refunded or removed.
func TestRemove(t *testing.T) {
	b := setup(t)
	inv, p, first := b.refunded("i", "60")
	b.OK(b.refund("another", p, refund.Input{Amount: "40"}))
	removed, err := b.remove("remove", first)
	must.Thatf(t, err == nil && !removed.RemovedAt.IsZero() && removed.Amount == 6000, "%+v, %v", removed, err)
	found := b.Find(inv)
	assert.Thatf(t, found.Status == invoice.StatusPartly && found.Paid == 6000 && found.Open == 4000, "%+v", found)
	of, err := record.Find(t.Context(), b.Store.Pool, payment.Table, b.Tenant, p.ID)
	assert.Thatf(t, err == nil && of.Refunded == 4000 && of.Left == 6000, "%+v, %v", of, err)
	day, err := date.Parse("2026-11-30")
	must.OK(t, err)
	sums, err := invoice.Standing(t.Context(), b.Store.Pool, b.Tenant, b.Tenant, day)
	assert.Thatf(t, err == nil && len(sums) == 2 && sums[1].Kind == "paid" && sums[1].Amount.IntPart() == 6000, "%v, %v", sums, err)

	d, err := refund.Input{Amount: "60", Date: "2026-11-23"}.Draft(of)
	must.OK(t, err)
	again := b.Intent("again")
	again.AsksAboutRepeat = true // a removed refund isn't repeated
	b.OK(refund.Create.Do(t.Context(), b.Store, again, d))
	list, err := refund.ListOf(t.Context(), b.Store.Pool, b.Tenant, p.ID, record.Page{Limit: 10})
	must.OK(t, err)
	for i, each := range list.Rows {
		b.OK(b.remove(fmt.Sprint("remove ", i), each))
	}
	b.OK(b.Remove("remove payment", p))
	assert.Equal(t, b.Find(inv).Open, 10000, "open")
}

// TestRemoveAtOnce removes a refund under many keys at once. It is removed once.
func TestRemoveAtOnce(t *testing.T) {
	b := setup(t)
	inv, _, of := b.refunded("i", "60")
	errs := storetest.Together(20, func(i int) error {
		_, err := b.remove(fmt.Sprint("remove", i), of)
		return err
	})
	assert.Equal(t, b.Succeeded(errs, nil), 20, "succeeded")
	assert.Equal(t, b.Find(inv).Paid, 10000, "paid")
	assert.Equal(t, storetest.Value[int](b, `SELECT count(*) FROM postings WHERE kind = 'removal'`), 1, "reversing postings")
	assert.Equal(t, storetest.Value[int](b,
		`SELECT count(*) FROM intents WHERE operation = 'refund.remove' AND outcome = 'changed'`), 1, "intents changed it")
}

// TestRemoveRaces removes a refund of the whole payment at once with each other operation that needs the open amount. The first
// one wins, but a credit note is possible after it.
func TestRemoveRaces(t *testing.T) {
	b := setup(t)
	for _, with := range []struct {
		name    string
		other   func(key string, inv invoice.Invoice) error
		refused *conflict.Kind // the other operation, after the removal; nil if it is possible then
		late    *conflict.Kind // the removal, after the other operation
	}{
		{"payment", func(key string, inv invoice.Invoice) error {
			_, err := b.Pay(key, inv, "60")
			return err
		}, &payment.ExceedsOpen, &refund.ExceedsOpen},
		{"credit note", func(key string, inv invoice.Invoice) error {
			d, err := credit.Input{Lines: []credit.LineInput{{Position: 1, Quantity: "1.5"}}}.Draft(inv)
			if err == nil {
				_, err = credit.Create.Do(context.Background(), b.Store, b.Intent(key), d)
			}
			return err
		}, nil, &refund.ExceedsOpen},
		{"write-off", func(key string, inv invoice.Invoice) error {
			_, err := b.WriteOff(key, inv, "1")
			return err
		}, &writeoff.ExceedsOpen, &refund.ExceedsOpen},
		{"void", b.Void, &invoice.HasPayments, &invoice.NotIssued},
	} {
		t.Run(with.name, func(t *testing.T) {
			for round := range 10 {
				key := fmt.Sprint(with.name, round)
				inv, _, of := b.refunded(key, "100")
				removed, other := storetest.Both(func() error {
					_, err := b.remove("remove"+key, of)
					return err
				}, func() error { return with.other("other"+key, inv) })
				found := b.Find(inv)
				switch {
				case removed == nil && with.refused != nil && storetest.IsConflict(other, with.refused) && found.Paid == 10000:
				case other == nil && storetest.IsConflict(removed, with.late) && found.Paid < 10000:
				case removed == nil && other == nil && with.refused == nil && found.Paid == 2500 && found.Open == 0: // 75 became credit
				default:
					t.Errorf("removed: %v, %s: %v, %+v", removed, with.name, other, found)
				}
			}
		})
	}
}

// TestRemoveNamesWhatIsOpen checks that a refused removal has the open amount, before it and in its answer.
func TestRemoveNamesWhatIsOpen(t *testing.T) {
	b := setup(t)
	inv, _, of := b.refunded("i", "60")
	b.OK(b.Pay("later", inv, "30"))
	_, err := b.remove("remove", of)
	for _, refused := range []error{err, refund.Removable(t.Context(), b.Store.Pool, b.Tenant, of, b.Find(inv))} {
		c, ok := errors.AsType[*conflict.Error](refused)
		assert.Thatf(t, ok && c.Kind == &refund.ExceedsOpen && c.Members["open"] == "30.00", "%v", refused)
	}
}
