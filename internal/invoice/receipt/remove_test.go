package receipt_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/conflict"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/invoicetest"
	"onlyonce/internal/invoice/payment"
	"onlyonce/internal/invoice/receipt"
	"onlyonce/internal/invoice/refund"
	"onlyonce/internal/must"
	"onlyonce/internal/record"
)

func (b *bundle) removeRepayment(key string, of receipt.Repayment) error {
	_, err := receipt.RemoveRepayment.Do(context.Background(), b.Store, b.Of(key, of.ID, 0), struct{}{})
	return err
}

// TestRemoveWithPayments removes a receipt of two invoices. Before that, what depends on it has to be removed: the answer names it. Then
// its reference is free.
func TestRemoveWithPayments(t *testing.T) {
	b := setup(t)
	one, two, three := b.Issued("one"), b.Issued("two"), b.Issued("three")
	parts := []receipt.AllocationInput{invoicetest.Part(two, "100"), invoicetest.Part(one, "40")}
	r := b.received("r", "250", "TX", one, parts...)
	applied, err := b.Apply("apply", r, three, "60")
	must.OK(t, err)
	repaid, err := b.Repay("repay", r, "20")
	must.OK(t, err)
	payments, err := payment.ListOfReceipt(t.Context(), b.Store.Pool, b.Tenant, r.ID, record.Page{Limit: 10})
	must.OK(t, err)
	of := payments.Rows[len(payments.Rows)-1].Payment
	d, err := refund.Input{Amount: "5", Date: "2026-11-23"}.Draft(of)
	must.OK(t, err)
	back, err := refund.Create.Do(t.Context(), b.Store, b.Intent("back"), d)
	must.OK(t, err)

	number := map[bool]string{true: one.Number, false: two.Number}[of.InvoiceID == one.ID]
	refused := func(what string, depends ...string) {
		t.Helper()
		found, err := record.Find(t.Context(), b.Store.Pool, receipt.Table, b.Tenant, r.ID)
		must.OK(t, err)
		for _, err := range []error{b.remove("removed", r), receipt.Removable(t.Context(), b.Store.Pool, b.Tenant, found)} {
			c, ok := errors.AsType[*conflict.Error](err)
			want := "First take back " + strings.Join(depends, "") + "."
			assert.Thatf(t, ok && c.Kind == &receipt.Used && c.Text == want, "%s: %v", what, err)
		}
	}
	refused("all", "the repayment of 20.00 EUR, ", "the payment of 60.00 EUR on "+three.Number, " and the refund of 5.00 EUR on "+number)
	must.OK(t, b.removeRepayment("remove repayment", repaid))
	b.holds(r, 20000, 0, 5000)
	refused("repaid nothing", "the payment of 60.00 EUR on "+three.Number, " and the refund of 5.00 EUR on "+number)
	b.OK(b.Remove("remove applied", applied))
	refused("the refund", "the refund of 5.00 EUR on "+number)
	b.OK(refund.Remove.Do(t.Context(), b.Store, b.Of("remove refund", back.Value.ID, 0), struct{}{}))
	must.OK(t, b.remove("removed", r))
	b.holds(r, 0, 0, 0)
	assert.Equal(t, b.Find(one).Open+b.Find(two).Open+b.Find(three).Open, 30000, "open")
	assert.Equal(t, storetest.Value[int](b, `SELECT count(*) FROM intent_effects WHERE effect = 'removed with its receipt'`), 2, "effects")
	b.received("again", "250", "TX", one, parts...)
}

// TestRepayAgain checks that a repayment is removed once under many keys, and that a similar one isn't a repeat.
func TestRepayAgain(t *testing.T) {
	b := setup(t)
	r := b.received("r", "100", "", b.Issued("i"))
	repaid, err := b.Repay("repay", r, "100")
	must.OK(t, err)
	for i, err := range storetest.Together(20, func(i int) error { return b.removeRepayment(fmt.Sprint("remove", i), repaid) }) {
		assert.Thatf(t, err == nil, "%d: %v", i, err)
	}
	b.holds(r, 0, 0, 10000)
	d, err := receipt.RepayInput{Amount: "100", Date: "2026-11-25"}.Draft(r)
	must.OK(t, err)
	again := b.Intent("again")
	again.AsksAboutRepeat = true
	b.OK(receipt.Repay.Do(t.Context(), b.Store, again, d))
	b.holds(r, 0, 10000, 0)
}

// TestRemoveRaces removes a receipt of two invoices under two keys from one gate with each other operation on it. The receipt is removed
// with all, or not at all, without a deadlock.
func TestRemoveRaces(t *testing.T) {
	b := setup(t)
	const deadlocks = `SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`
	before := storetest.Value[int](b, deadlocks)
	for name, other := range map[string]func(key string, r receipt.Receipt, inv invoice.Invoice, of payment.Payment) error{
		"apply": func(key string, r receipt.Receipt, inv invoice.Invoice, _ payment.Payment) error {
			_, err := b.Apply(key, r, inv, "10")
			return err
		},
		"repay": func(key string, r receipt.Receipt, _ invoice.Invoice, _ payment.Payment) error {
			_, err := b.Repay(key, r, "10")
			return err
		},
		"refund": func(key string, _ receipt.Receipt, _ invoice.Invoice, of payment.Payment) error {
			d, err := refund.Input{Amount: "10", Date: "2026-11-23"}.Draft(of)
			if err == nil {
				_, err = refund.Create.Do(context.Background(), b.Store, b.Intent(key), d)
			}
			return err
		},
		"remove a payment": func(key string, _ receipt.Receipt, _ invoice.Invoice, of payment.Payment) error {
			_, err := b.Remove(key, of)
			return err
		},
	} {
		for round := range 8 {
			key := fmt.Sprint(name, round)
			one, two := b.Issued("one"+key), b.Issued("two"+key)
			r := b.received(key, "150", "", one, invoicetest.Part(one, "60"), invoicetest.Part(two, "60"))
			list, err := payment.ListOfReceipt(b.Context(), b.Store.Pool, b.Tenant, r.ID, record.Page{Limit: 2})
			must.OK(t, err)
			errs := storetest.Together(3, func(i int) error {
				if i == 0 {
					return other("other"+key, r, one, list.Rows[round%2].Payment)
				}
				return b.remove(fmt.Sprint("remove", i, key), r)
			})
			removed := errs[1] == nil && errs[2] == nil
			switch paid := b.Find(one).Paid + b.Find(two).Paid; {
			case removed && paid == 0 && (errs[0] != nil) == (name != "remove a payment"):
				b.holds(r, 0, 0, 0)
			case errs[0] == nil && paid > 0 && storetest.IsConflict(errs[1], &receipt.Used) && storetest.IsConflict(errs[2], &receipt.Used):
			default:
				t.Errorf("%s: %v, %d paid", name, errs, paid)
			}
		}
	}
	assert.Equal(t, storetest.Value[int](b, deadlocks), before, "deadlocks")
}
