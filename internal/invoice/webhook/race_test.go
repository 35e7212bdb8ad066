package webhook_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"onlyonce/internal/assert"
	"onlyonce/internal/conflict"
	"onlyonce/internal/idempotency"
	"onlyonce/internal/idempotency/storetest"
	"onlyonce/internal/invoice"
	"onlyonce/internal/invoice/closing"
	"onlyonce/internal/invoice/payment"
	"onlyonce/internal/invoice/receipt"
	"onlyonce/internal/invoice/webhook"
	"onlyonce/internal/must"
)

// TestEventsAtOnce delivers many payments concurrently, each twice, with refunds before and after them, while users enter some payments
// by hand.
func TestEventsAtOnce(t *testing.T) {
	b := setup(t)
	// More is billed than paid, or a payment that is entered again could exceed the open amount before its reference is compared.
	inv := b.Issued("i", invoice.LineInput{Description: "Design", Quantity: "4", UnitPrice: "50.00", TaxRate: "0"})
	replicas := []*idempotency.Store{b.Replica(), b.Replica()}
	const payments = 20
	errs := storetest.Together(payments*5, func(i int) error {
		n, store := i/5, replicas[i%2]
		reference := fmt.Sprint("p", n)
		switch i % 5 {
		case 0, 1: // a payment, and the same payment with another event id
			_, err := b.deliver(store, b.standard, fmt.Sprint(reference, i%5), received(inv.Number, reference, "5.00"))
			return err
		case 2, 3: // two refunds, whose events arrive in any order
			_, err := b.deliver(store, b.standard, fmt.Sprint(reference, i%5), refunded(inv.Number, reference, fmt.Sprint(i%5-1)))
			return err
		default:
			draft, err := payment.Input{
				Amount: "5.00", Date: "2026-11-23", Method: "other", Provider: "Bank", Reference: reference,
			}.Draft(inv.ID, inv.Currency)
			if err != nil {
				return err
			}
			_, err = payment.Create.Do(context.Background(), store, b.Intent(reference), draft)
			if storetest.IsConflict(err, &payment.Taken) {
				return nil
			}
			return err
		}
	})
	must.OK(t, errors.Join(errs...))
	assert.Equal(t, storetest.Value[int](b, `SELECT count(*) FROM webhook_events WHERE state <> 'applied'`), 0, "events were not applied")
	found := b.Find(inv)
	assert.Thatf(t, found.Paid == payments*300, "paid %d, want %d", found.Paid, payments*300)
	assert.Equal(t, storetest.Value[int](b, `SELECT count(*) FROM payments WHERE refunded = 200`),
		payments, "payments with a refund of 2.00")
}

// TestFiftyRefundsWait checks that at most fifty refunds wait for a payment, even if more arrive concurrently from all sources of its
// provider, and that the payment's transaction records at most fifty, even if earlier versions stored more.
func TestFiftyRefundsWait(t *testing.T) {
	b := setup(t)
	inv := b.Issued("i")
	const bound, sent = 50, 60
	sources := []sender{b.standard, b.sourceOf("Bank, another account", "bank", webhook.Standard, secretOf("other"))}
	errs := storetest.Together(sent, func(i int) error {
		_, err := b.deliver(b.Store, sources[i%2], fmt.Sprint("back", i), refunded(inv.Number, "p", fmt.Sprintf("%d.00", i+1)))
		return err
	})
	must.OK(t, errors.Join(errs...))
	states := func() string {
		return storetest.Value[string](b, `SELECT string_agg(n || ' ' || state || ' ' || reason, ', ' ORDER BY n DESC) FROM (
			SELECT count(*) AS n, state, reason FROM webhook_events WHERE kind = 'refund' GROUP BY 2, 3) AS of`)
	}
	got, want := states(), fmt.Sprintf("%d waiting no-payment, %d undecided many-waiting", bound, sent-bound)
	assert.Thatf(t, got == want, "%s, want %s", got, want)
	b.Exec(`UPDATE webhook_events SET state = 'waiting', reason = 'no-payment'`)
	b.kept(b.standard, "paid", received(inv.Number, "p", "100.00"))
	assert.Equal(t, storetest.Value[int](b, `SELECT count(*) FROM webhook_events WHERE kind = 'refund' AND state = 'applied'`),
		bound, "refunds were applied with their payment")
}

// TestWaitingWhileOtherContentComes checks that a waiting refund is recorded with its payment, even while a delivery with the same event
// id and different content is stored, which refers to it.
func TestWaitingWhileOtherContentComes(t *testing.T) {
	b := setup(t)
	inv := b.Issued("i")
	b.OK(b.deliver(b.Store, b.standard, "back", refunded(inv.Number, "p", "5")))
	tx, err := b.Admin.Begin(t.Context())
	must.OK(t, err)
	must.Exec(t, tx, `
		INSERT INTO webhook_events (tenant_id, id, source_id, event_id, first_id, digest, type, state)
		SELECT tenant_id, gen_random_uuid(), source_id, event_id, id, sha256(''), type, 'apart' FROM webhook_events`)
	b.OK(b.deliver(b.Store, b.standard, "paid", received(inv.Number, "p", "5")))
	must.OK(t, tx.Commit(t.Context()))
	b.standing("given back with its payment", inv, 0, 1, 1)
}

// TestPaymentOfAWrittenOffInvoice checks that the event of a payment waits for a decision if the rest of the invoice was written off, and
// can be applied once the write-off is taken back.
func TestPaymentOfAWrittenOffInvoice(t *testing.T) {
	b := setup(t)
	inv := b.Issued("i")
	off, err := b.WriteOff("off", inv, "")
	must.OK(t, err)
	late := b.kept(b.standard, "late", received(inv.Number, "p", "100"))
	b.wants("written off", late, webhook.StateUndecided, "more-than-open")
	advice := webhook.Advice(late)
	assert.Thatf(t, strings.Contains(advice, "take the write-off back first"), "the advice is %q", advice)
	b.OK(b.TakeBack("back", off))
	b.OK(webhook.Apply.Do(t.Context(), b.Store, b.Of("apply", late.ID, 0), webhook.Choice{}))
	b.standing("taken back", inv, 10000, 1, 0)
}

// TestEventOfAClosedDay checks that a payment and a refund of a closed day need a decision and can be applied once the books are reopened.
// An event about what was recorded before needs none.
func TestEventOfAClosedDay(t *testing.T) {
	b := setup(t)
	inv := b.Issued("i")
	dated := func(body string) string { return strings.ReplaceAll(body, "2026-11-23", "2025-03-31") }
	b.enter("Bank", "known", "2", inv)
	d, err := closing.Input{Through: "2025-03-31"}.Draft()
	must.OK(t, err)
	closed, err := closing.Create.Do(t.Context(), b.Store, b.Intent("close"), d)
	must.OK(t, err)
	paid := b.kept(b.standard, "paid", dated(received(inv.Number, "p", "60")))
	b.wants("payment", paid, webhook.StateUndecided, "books-closed")
	back := b.kept(b.standard, "back", dated(refunded(inv.Number, "known", "1")))
	b.wants("refund", back, webhook.StateUndecided, "books-closed")
	b.wants("known", b.kept(b.standard, "known", dated(received(inv.Number, "known", "2"))), webhook.StateApplied, "recorded-before")
	b.standing("closed", inv, 200, 1, 0)
	_, err = webhook.Apply.Do(t.Context(), b.Store, b.Of("closed", paid.ID, 0), webhook.Choice{})
	refused, ok := errors.AsType[*conflict.Error](err)
	assert.Thatf(t, ok && refused.Kind == &webhook.NotApplied && strings.Contains(refused.Text, "Reopen the books"), "%v", err)
	b.OK(closing.Reopen.Do(t.Context(), b.Store, b.Of("reopen", closed.Value.ID, 0), struct{}{}))
	for _, event := range []webhook.Event{paid, back} {
		b.OK(webhook.Apply.Do(t.Context(), b.Store, b.Of("apply "+event.EventID, event.ID, 0), webhook.Choice{}))
	}
	b.standing("reopened", inv, 6100, 2, 1)
}

// TestPaymentThatWasReceived delivers the event of a payment whose reference a receipt has, also at the same moment. One of the two records
// the money: if it is the receipt, the event waits for a decision, and can be applied to a chosen invoice once the receipt was removed.
func TestPaymentThatWasReceived(t *testing.T) {
	b := setup(t)
	inv := b.Issued("i")
	of, err := b.Receive("r", "50", "p", inv)
	must.OK(t, err)
	event := b.kept(b.standard, "late", received(inv.Number, "p", "5"))
	b.wants("received", event, webhook.StateUndecided, "other-payment")
	b.wants("refunded", b.kept(b.standard, "back", refunded("", "p", "5")), webhook.StateUndecided, "of-receipt")
	b.OK(receipt.Remove.Do(t.Context(), b.Store, b.Of("remove", of.Value.ID, 0), struct{}{}))
	b.OK(webhook.Apply.Do(t.Context(), b.Store, b.Of("apply", event.ID, 0), webhook.Choice{Invoice: inv.Number}))
	b.standing("applied", inv, 500, 1, 0)
	for round := range 10 {
		reference := fmt.Sprint("p", round)
		var event webhook.Event
		delivered, recorded := storetest.Both(func() error {
			done, err := b.deliver(b.Store, b.standard, reference, received(inv.Number, reference, "1"))
			event = done.Value
			return err
		}, func() error {
			_, err := b.Receive(reference, "50", reference, inv)
			return err
		})
		must.OK(t, delivered)
		applied := event.State == webhook.StateApplied
		assert.Thatf(t, applied == storetest.IsConflict(recorded, &payment.Taken) && applied == (recorded != nil),
			"%s, recorded: %v", event.State, recorded)
	}
}

// TestEventOrWriteOff delivers a payment of 60.00 while the whole open amount of 100.00 is written off. The event is applied if it comes
// first, and the write-off takes the rest.
func TestEventOrWriteOff(t *testing.T) {
	b := setup(t)
	for round := range 10 {
		inv := b.Issued(fmt.Sprint(round))
		var event webhook.Event
		delivered, written := storetest.Both(func() error {
			done, err := b.deliver(b.Store, b.standard, fmt.Sprint("e", round), received(inv.Number, fmt.Sprint("p", round), "60"))
			event = done.Value
			return err
		}, func() error {
			_, err := b.WriteOff(fmt.Sprint("off", round), inv, "")
			return err
		})
		found := b.Find(inv)
		switch {
		case delivered != nil || written != nil:
			t.Errorf("delivered: %v, written off: %v", delivered, written)
		case event.State == webhook.StateApplied && found.Paid == 6000 && found.WrittenOff == 4000:
		case event.Reason == "more-than-open" && found.Paid == 0 && found.WrittenOff == 10000:
		default:
			t.Errorf("%+v, %+v", event, found)
		}
	}
}
