package payment_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/conflict"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/payment"
	"onlyonce/internal/must"
	"onlyonce/internal/value/date"
)

// TestRemove checks that removing a payment restores the open amount with a posting and adjusts the sums of the month: without other
// payments in a month, the invoice no longer counts as paid in it.
func TestRemove(t *testing.T) {
	b := setup(t)
	inv := b.Issued("i")
	var all []payment.Payment
	for i := range 2 {
		p, err := b.Pay(fmt.Sprint("pay", i), inv, "50")
		must.OK(t, err)
		all = append(all, p)
	}
	day, err := date.Parse("2026-11-30")
	must.OK(t, err)
	paidInMonth := func() invoice.Sum {
		t.Helper()
		sums, err := invoice.Standing(t.Context(), b.Store.Pool, b.Tenant, b.Tenant, day)
		must.OK(t, err)
		for _, sum := range sums {
			if sum.Kind == "paid" {
				return sum
			}
		}
		return invoice.Sum{}
	}
	for i, want := range []struct {
		status string
		paid   int64
		count  int64
	}{{invoice.StatusPartly, 5000, 1}, {invoice.StatusIssued, 0, 0}} {
		removed, err := b.Remove(fmt.Sprint("remove", i), all[i])
		must.Thatf(t, err == nil && !removed.RemovedAt.IsZero() && removed.Left == 0 && removed.Amount == 5000, "%+v, %v", removed, err)
		found := b.Find(inv)
		assert.Thatf(t, found.Status == want.status && found.Paid == want.paid && found.Open == 10000-want.paid, "%+v", found)
		sum := paidInMonth()
		assert.Thatf(t, sum.Amount.IntPart() == want.paid && int64(sum.Count) == want.count, "paid in the month: %+v", sum)
	}
	if err := b.Void("void", inv); err != nil { // the removed payment does not count
		t.Error(err)
	}
}

// TestRemovedIsNoRepeat checks that a new payment is not a likely repeat of a removed one, but of an existing one.
func TestRemovedIsNoRepeat(t *testing.T) {
	b := setup(t)
	inv := b.Issued("i")
	wrong, err := b.Pay("wrong", inv, "10")
	must.OK(t, err)
	b.OK(b.Remove("remove", wrong))
	again := func(key string) error {
		d, err := payment.Input{Amount: "10", Date: "2026-11-22", Method: "bank_transfer"}.Draft(inv.ID, inv.Currency)
		if err != nil {
			return err
		}
		intent := b.Intent(key)
		intent.AsksAboutRepeat = true
		_, err = payment.Create.Do(context.Background(), b.Store, intent, d)
		return err
	}
	must.OK(t, again("right"))
	if err := again("repeat"); !storetest.IsConflict(err, &idempotency.LooksLikeRepeat) {
		t.Errorf("a repeat: %v", err)
	}
}

// TestRemovedFreesItsReference checks that one other payment can have the reference of a removed one.
func TestRemovedFreesItsReference(t *testing.T) {
	b := setup(t)
	inv := b.Issued("i")
	with := func(in *payment.Input) { in.Provider, in.Reference = "Bank", "TX 1" }
	for n := range 3 {
		paid, err := b.pay(fmt.Sprint(n), inv, "10", with)
		must.OK(t, err)
		_, err = b.pay("twice", inv, "20", with)
		refused, ok := errors.AsType[*conflict.Error](err)
		assert.Thatf(t, ok && refused.Kind == &payment.Taken && refused.Existing == paid.Value.ID, "recorded twice: %v", refused)
		b.OK(b.Remove(fmt.Sprint("remove", n), paid.Value))
	}
}

// TestRemoveAtOnce checks that concurrent removals with different keys remove a payment once.
func TestRemoveAtOnce(t *testing.T) {
	b := setup(t)
	inv := b.Issued("i")
	p, err := b.Pay("p", inv, "100")
	must.OK(t, err)
	for i, err := range storetest.Together(20, func(i int) error {
		_, err := b.Remove(fmt.Sprint("remove", i), p)
		return err
	}) {
		assert.Thatf(t, err == nil, "%d: %v", i, err)
	}
	found := b.Find(inv)
	assert.Thatf(t, found.Paid == 0 && found.Open == 10000, "%+v", found)
	assert.Equal(t, storetest.Value[int](b, `SELECT count(*) FROM postings WHERE kind = 'removal'`), 1, "reversing postings")
	assert.Equal(t, storetest.Value[int](b,
		`SELECT count(*) FROM intents WHERE operation = 'payment.remove' AND outcome = 'changed'`), 1, "intents changed it")
}

// TestDatabaseKeepsWhatIsRemoved checks that even the superuser can't change a removed payment.
func TestDatabaseKeepsWhatIsRemoved(t *testing.T) {
	b := setup(t)
	inv := b.Issued("i")
	p, err := b.Pay("p", inv, "40")
	must.OK(t, err)
	b.OK(b.Remove("remove", p))
	b.Refuses(map[string][]string{
		"payments_append_only": {
			`UPDATE payments SET removed_at = NULL`, `UPDATE payments SET removed_at = now() + interval '1 day'`,
			`UPDATE payments SET amount = 1`,
		},
		"refunds_within_payment": {`INSERT INTO refunds (tenant_id, id, payment_id, amount, refunded_on)
			SELECT tenant_id, gen_random_uuid(), id, 1, '2026-11-22' FROM payments`},
		"postings_pkey": {`INSERT INTO postings (tenant_id, invoice_id, source_id, kind, amount)
			SELECT tenant_id, invoice_id, id, 'removal', 0 FROM payments`},
	})
}
